//! Durations by batches of a run.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::HeatCells;
use logtrace_common::latency_row_start_ns;

/// Durations that ended in each batch. Both lists are of the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BatchDurations {
    /// Numbers of durations.
    pub(crate) counts: Vec<f64>,
    /// The same by row.
    pub(crate) rows: Vec<BTreeMap<u16, f64>>,
}

impl BatchDurations {
    /// Returns the durations of a heat map by batches of this length.
    pub(crate) fn of(cells: &HeatCells, length_ns: u64) -> Self {
        let mut durations = Self::default();
        for cell in &cells.cells {
            let batch = cell.column.saturating_mul(cells.column_ns) / length_ns;
            let batch = usize::try_from(batch).unwrap_or(usize::MAX);
            let length = durations.rows.len().max(batch + 1);
            durations.counts.resize(length, 0.0);
            durations.rows.resize(length, BTreeMap::new());
            durations.counts[batch] += cell.count as f64;
            *durations.rows[batch].entry(cell.row).or_default() += cell.count as f64;
        }
        durations
    }

    /// Returns the numbers of all batches by row.
    pub(crate) fn all_rows(&self) -> BTreeMap<u16, f64> {
        let mut all = BTreeMap::new();
        for (&row, &count) in self.rows.iter().flatten() {
            *all.entry(row).or_default() += count;
        }
        all
    }

    /// Returns the sum of the durations of each batch in nanoseconds, each taken as the middle of its row.
    pub(crate) fn sums_ns(&self) -> Vec<f64> {
        let sum = |rows: &BTreeMap<u16, f64>| {
            let sums = rows.iter().map(|(&row, count)| {
                let (start_ns, length_ns) = extent(row);
                count * (start_ns + length_ns / 2.0)
            });
            sums.sum()
        };
        self.rows.iter().map(sum).collect()
    }
}

/// Returns the start and the length of a row in nanoseconds.
pub(crate) fn extent(row: u16) -> (f64, f64) {
    let start_ns = latency_row_start_ns(row) as f64;
    (start_ns, latency_row_start_ns(row + 1) as f64 - start_ns)
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::HeatCell;
    use logtrace_common::latency_row;

    use super::*;

    #[test]
    fn columns_become_batches_and_a_batch_without_durations_is_there() {
        let row = latency_row(1_000);
        let cells = [(0, 2), (9, 1), (30, 4)].map(|(column, count)| HeatCell { column, row, count });
        let durations = BatchDurations::of(
            &HeatCells {
                column_ns: 100,
                cells: cells.into(),
            },
            1_000,
        );
        assert_eq!(durations.counts, [3.0, 0.0, 0.0, 4.0]);
        assert_eq!(durations.all_rows(), BTreeMap::from([(row, 7.0)]));
        let sums = durations.sums_ns();
        assert!((sums[0] / 3_000.0 - 1.0).abs() < 0.07, "{sums:?}");
        assert_eq!(
            BatchDurations::of(&HeatCells::default(), 1_000),
            BatchDurations::default()
        );
    }
}
