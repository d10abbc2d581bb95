//! Sums by column of time.

use logtrace_common::{IntervalColumns, MOST_COLUMNS, TimeColumns};
use serde::{Deserialize, Serialize};

use crate::over_time::packed::{self, Numbers};

/// Sums by column of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnSums {
    /// Width of a column in nanoseconds.
    pub column_ns: u64,
    /// Sums that are not 0, in the order of columns.
    #[serde(with = "packed")]
    pub cells: Vec<ColumnSum>,
}

/// Sum in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSum {
    /// Column of time.
    pub column: u64,
    /// The sum: a number, or nanoseconds.
    pub sum: u64,
}

impl ColumnSums {
    fn new(column_ns: u64, sums: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let cells = sums.into_iter().map(|(column, sum)| ColumnSum { column, sum });
        Self {
            column_ns,
            cells: cells.collect(),
        }
    }
}

impl From<&TimeColumns<(), u64>> for ColumnSums {
    fn from(columns: &TimeColumns<(), u64>) -> Self {
        let mut sums: Vec<_> = columns.sums().map(|((column, ()), sum)| (column, sum)).collect();
        sums.sort_unstable();
        Self::new(columns.width_ns(), sums)
    }
}

impl From<&IntervalColumns> for ColumnSums {
    fn from(columns: &IntervalColumns) -> Self {
        Self::new(columns.column_ns(), columns.times())
    }
}

impl Numbers<2> for ColumnSum {
    fn numbers(&self) -> [u64; 2] {
        [self.column, self.sum]
    }

    fn of([column, sum]: [u64; 2]) -> Option<Self> {
        (column < MOST_COLUMNS).then_some(Self { column, sum })
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;

    use super::*;

    const TENTH_NS: u64 = 100_000_000;

    #[test]
    fn sums_are_in_the_order_of_columns_and_read_back() {
        let mut counts = TimeColumns::new(0);
        for column in [9, 2, 599, 2] {
            *counts.sum_at(column * TENTH_NS, ()) += 1;
        }
        let sums = ColumnSums::from(&counts);
        let cells: Vec<(u64, u64)> = sums.cells.iter().map(|cell| (cell.column, cell.sum)).collect();
        assert_eq!(cells, [(2, 2), (9, 1), (599, 1)]);
        let text = serde_json::to_string(&sums).unwrap();
        assert_eq!(serde_json::from_str::<ColumnSums>(&text).unwrap(), sums);
    }

    #[test]
    fn intervals_are_nanoseconds_of_each_column() {
        let mut waits = IntervalColumns::new(0);
        waits.add(TimeRange::new(TENTH_NS / 2, 2 * TENTH_NS));
        let sums = ColumnSums::from(&waits);
        let cells: Vec<(u64, u64)> = sums.cells.iter().map(|cell| (cell.column, cell.sum)).collect();
        assert_eq!(cells, [(0, TENTH_NS / 2), (1, TENTH_NS)]);
    }
}
