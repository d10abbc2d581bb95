//! Colours.

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// Returns a colour in HTML.
pub fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
