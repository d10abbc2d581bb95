//! Colours.

/// Red, green and blue.
pub(crate) type Rgb = (u8, u8, u8);
