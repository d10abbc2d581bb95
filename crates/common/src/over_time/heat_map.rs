//! Heat map: how many durations of which length ended when.

use std::collections::BTreeMap;

use crate::over_time::latency_row::latency_row;
use crate::over_time::time_columns::TimeColumns;

/// Numbers of durations by the column of their end ([`TimeColumns`]) and by their row ([`latency_row`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatMap {
    counts: TimeColumns<u16, u64>,
}

impl HeatMap {
    /// Creates an empty map of a window.
    pub fn new(start_ns: u64) -> Self {
        Self {
            counts: TimeColumns::new(start_ns),
        }
    }

    /// Adds a duration that ended at `end_ns`.
    pub fn add(&mut self, end_ns: u64, length_ns: u64) {
        *self.counts.sum_at(end_ns, latency_row(length_ns)) += 1;
    }

    /// Adds the durations of another map of the same window.
    pub fn merge(&mut self, other: &Self) {
        self.counts.add(&other.counts);
    }

    /// Returns the width of a column in nanoseconds.
    pub fn column_ns(&self) -> u64 {
        self.counts.width_ns()
    }

    /// Returns the numbers that are not 0, in the order of columns and rows.
    pub fn counts(&self) -> BTreeMap<(u64, u16), u64> {
        self.counts.sums().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::over_time::time_columns::MOST_COLUMNS;

    const TENTH_NS: u64 = 100_000_000;

    #[test]
    fn columns_widen_and_lose_nothing() {
        let mut map = HeatMap::new(5);
        for tenth in 0..MOST_COLUMNS {
            map.add(5 + tenth * TENTH_NS, 1_000);
        }
        assert_eq!((map.column_ns(), map.counts().len()), (TENTH_NS, 600));
        map.add(5 + MOST_COLUMNS * TENTH_NS, 1_000);
        assert_eq!(map.column_ns(), 2 * TENTH_NS);
        let counts = map.counts();
        assert_eq!(counts.len(), 301);
        assert_eq!(counts.values().sum::<u64>(), 601);
        assert_eq!(counts.first_key_value(), Some((&(0, latency_row(1_000)), &2)));
        assert_eq!(counts.last_key_value(), Some((&(300, latency_row(1_000)), &1)));
    }

    #[test]
    fn two_maps_together_are_as_wide_as_the_wider_one() {
        let ends = [0, 7, MOST_COLUMNS, 3 * MOST_COLUMNS];
        let of = |ends: &[u64]| {
            let mut map = HeatMap::new(5);
            for tenth in ends {
                map.add(5 + tenth * TENTH_NS, 1_000);
            }
            map
        };
        for split in 0..=ends.len() {
            let (mut early, late) = (of(&ends[..split]), of(&ends[split..]));
            early.merge(&late);
            assert_eq!(early, of(&ends), "{split}");
            let (early, mut late) = (of(&ends[..split]), of(&ends[split..]));
            late.merge(&early);
            assert_eq!(late, of(&ends), "{split}");
        }
    }

    #[test]
    fn a_time_far_away_is_in_the_last_columns() {
        let mut map = HeatMap::new(0);
        map.add(0, 1);
        map.add(u64::MAX, u64::MAX);
        let counts = map.counts();
        assert_eq!(counts.values().sum::<u64>(), 2);
        assert!(counts.keys().all(|&(column, _)| column < MOST_COLUMNS));
    }
}
