//! Columns of time, whose number is bounded whatever the length of a run.

use std::hash::Hash;
use std::mem;
use std::ops::AddAssign;

use rustc_hash::FxHashMap;

use crate::stall_bucket::STALL_BUCKET_NS;

/// Limit on the number of columns.
pub const MOST_COLUMNS: u64 = 600;

/// Sums by column of time and by a key. Columns have equal width, from the start of a window on. They are a tenth of a second
/// wide, and twice as wide whenever there would be more than [`MOST_COLUMNS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeColumns<K: Eq + Hash, V> {
    start_ns: u64,
    width_ns: u64,
    sums: FxHashMap<(u64, K), V>,
}

impl<K: Copy + Eq + Hash, V: AddAssign + Copy + Default> TimeColumns<K, V> {
    /// Creates the columns of a window, without sums.
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            width_ns: STALL_BUCKET_NS,
            sums: FxHashMap::default(),
        }
    }

    /// Returns the sum of a key in the column of a time. A time before the window is in the first column.
    pub fn sum_at(&mut self, at_ns: u64, key: K) -> &mut V {
        let since_start_ns = at_ns.saturating_sub(self.start_ns);
        while since_start_ns / self.width_ns >= MOST_COLUMNS {
            self.double();
        }
        let column = since_start_ns / self.width_ns;
        self.sums.entry((column, key)).or_default()
    }

    /// Makes the columns twice as wide: columns 2 n and 2 n + 1 become n.
    pub fn double(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        for ((column, key), sum) in mem::take(&mut self.sums) {
            *self.sums.entry((column / 2, key)).or_default() += sum;
        }
    }

    /// Adds the sums of other columns of the same window.
    pub fn add(&mut self, other: &Self) {
        while self.width_ns < other.width_ns {
            self.double();
        }
        for ((column, key), sum) in other.sums() {
            let column = column / (self.width_ns / other.width_ns);
            *self.sums.entry((column, key)).or_default() += sum;
        }
    }

    /// Returns the width of a column in nanoseconds.
    pub fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// Returns the number of sums.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Returns whether there are no sums.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Returns the sums with their columns and keys, in no order.
    pub fn sums(&self) -> impl Iterator<Item = ((u64, K), V)> {
        self.sums.iter().map(|(&place, &sum)| (place, sum))
    }
}
