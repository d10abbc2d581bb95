//! Columns of time, whose number is bounded whatever the length of a run.

use crate::stall_bucket::STALL_BUCKET_NS;

/// Limit on the number of columns.
pub const MOST_COLUMNS: u64 = 600;

/// Columns of equal width from the start of a window on. They are a tenth of a second wide, and twice as wide whenever there
/// would be more than [`MOST_COLUMNS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeColumns {
    start_ns: u64,
    /// Width of a column in nanoseconds.
    pub width_ns: u64,
}

impl TimeColumns {
    /// Creates the columns of a window.
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            width_ns: STALL_BUCKET_NS,
        }
    }

    /// Returns the column of a time; the first one for a time before the window.
    pub fn column(self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(self.start_ns) / self.width_ns
    }

    /// Returns whether a time would be beyond the last column.
    pub fn is_beyond(self, at_ns: u64) -> bool {
        self.column(at_ns) >= MOST_COLUMNS
    }

    /// Makes the columns twice as wide: columns 2 n and 2 n + 1 become n.
    pub fn double(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
    }
}
