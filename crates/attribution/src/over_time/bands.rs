//! Bands of durations.

/// Rows of a heat map in a band of the cube: half an octave.
pub const ROWS_IN_BAND: u16 = 4;
