//! Columns of time, whose number is bounded whatever the length of a run.

use std::hash::Hash;
use std::mem;
use std::ops::AddAssign;

use rustc_hash::FxHashMap;

use crate::over_time::stall_bucket::STALL_BUCKET_NS;

/// Limit on the number of columns.
pub const MOST_COLUMNS: u64 = 600;

/// Sums by column of time and by a key. Columns have equal width, from the start of a window on. They are a tenth of a second
/// wide, and twice as wide whenever there would be more than [`MOST_COLUMNS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeColumns<K: Eq + Hash, V> {
    start_ns: u64,
    width_ns: u64,
    /// Sums by key of each column. What is added is mostly of the last column, whose sums are few enough for the CPU's cache.
    columns: Vec<FxHashMap<K, V>>,
    /// Number of sums.
    len: usize,
}

/// Sums of one column.
#[derive(Debug)]
pub struct TimeColumn<'a, K: Eq + Hash, V> {
    sums: &'a mut FxHashMap<K, V>,
    /// Number of sums of all columns.
    len: &'a mut usize,
}

impl<'a, K: Eq + Hash, V: Default> TimeColumn<'a, K, V> {
    /// Returns the sum of a key.
    pub fn sum(&mut self, key: K) -> &mut V {
        let Self { sums, len } = self;
        TimeColumn { sums, len }.into_sum(key)
    }

    fn into_sum(self, key: K) -> &'a mut V {
        self.sums.entry(key).or_insert_with(|| {
            *self.len += 1;
            V::default()
        })
    }
}

impl<K: Copy + Eq + Hash, V: AddAssign + Copy + Default> TimeColumns<K, V> {
    /// Creates the columns of a window, without sums.
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            width_ns: STALL_BUCKET_NS,
            columns: Vec::new(),
            len: 0,
        }
    }

    /// Returns the sum of a key in the column of a time. A time before the window is in the first column.
    pub fn sum_at(&mut self, at_ns: u64, key: K) -> &mut V {
        self.column_at(at_ns).into_sum(key)
    }

    /// Returns the column of a time, for several sums.
    pub fn column_at(&mut self, at_ns: u64) -> TimeColumn<'_, K, V> {
        let since_start_ns = at_ns.saturating_sub(self.start_ns);
        while since_start_ns / self.width_ns >= MOST_COLUMNS {
            self.double();
        }
        self.column(since_start_ns / self.width_ns)
    }

    fn column(&mut self, column: u64) -> TimeColumn<'_, K, V> {
        // There are at most 600 columns.
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if self.columns.len() <= column {
            self.columns.resize_with(column + 1, FxHashMap::default);
        }
        TimeColumn {
            sums: &mut self.columns[column],
            len: &mut self.len,
        }
    }

    /// Makes the columns twice as wide: columns 2 n and 2 n + 1 become n.
    pub fn double(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        self.len = 0;
        for (column, sums) in (0..).zip(mem::take(&mut self.columns)) {
            for (key, sum) in sums {
                *self.column(column / 2).into_sum(key) += sum;
            }
        }
    }

    /// Adds the sums of other columns of the same window.
    pub fn add(&mut self, other: &Self) {
        while self.width_ns < other.width_ns {
            self.double();
        }
        for ((column, key), sum) in other.sums() {
            let column = column / (self.width_ns / other.width_ns);
            *self.column(column).into_sum(key) += sum;
        }
    }

    /// Returns the width of a column in nanoseconds.
    pub fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// Returns the number of sums.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no sums.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the sums with their columns and keys, in no order.
    pub fn sums(&self) -> impl Iterator<Item = ((u64, K), V)> {
        let columns = (0..).zip(&self.columns);
        columns.flat_map(|(column, sums)| sums.iter().map(move |(&key, &sum)| ((column, key), sum)))
    }
}
