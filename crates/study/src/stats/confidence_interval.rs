//! Confidence intervals of the figures of a table's cells.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::descriptive::mean;
use crate::stats::standard_error::{Repeats, StandardError, standard_errors};
use crate::stats::statistic::Statistic;

/// 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Figure of one cell in each of its repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CellValues {
    /// Values.
    pub(crate) values: Vec<f64>,
    /// Standard error of each value inside its window, where it is known.
    pub(crate) errors: Vec<Option<f64>>,
}

/// Returns the t interval of the statistic of each cell of a table.
///
/// Figures are positive and their noise is in proportion to them, so the intervals are computed from logarithms. The
/// variances of all cells moderate one another, as in the test of comparisons. `None` for a cell with a single repeat, for
/// one whose repeats are all equal, and for one with a value of 0.
pub(crate) fn t_intervals(cells: &[CellValues], statistic: Statistic) -> Vec<Option<Interval>> {
    let repeats: Vec<Option<Repeats>> = cells.iter().map(CellValues::logarithms).collect();
    let errors = standard_errors(&repeats).into_iter().zip(cells);
    let interval = |(error, cell): (Option<StandardError>, &CellValues)| {
        let error = error?;
        let relative = statistic.relative_variance(cell.values.len()).sqrt();
        let (value, factor) = (statistic.of(&cell.values)?, (error.half_width() * relative).exp());
        Some(Interval {
            low: value / factor,
            high: value * factor,
        })
    };
    errors.map(interval).collect()
}

impl CellValues {
    fn logarithms(&self) -> Option<Repeats> {
        let is_positive = self.values.iter().all(|value| *value > 0.0);
        let pairs = self.errors.iter().zip(&self.values);
        let relative: Option<Vec<f64>> = pairs
            .map(|(error, value)| error.map(|error| (error / value).powi(2)))
            .collect();
        is_positive.then(|| Repeats {
            values: self.values.iter().map(|value| value.ln()).collect(),
            within: relative.and_then(|relative| mean(&relative)),
        })
    }
}

#[cfg(test)]
mod tests {
    use logtrace_driver::random::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::stats::descriptive::tests::normal;

    /// Returns the share of intervals that contain the true value, in tables of 20 cells of different levels.
    fn coverage(repeats: usize, statistic: Statistic, noise: fn(usize) -> f64) -> f64 {
        const TABLES: usize = 60;
        const CELLS: usize = 20;
        let mut rng = Stream::Study(4).rng(11);
        let level = |cell: usize| 10f64.powi(i32::try_from(cell % 5).unwrap());
        let mut hits = 0;
        for _ in 0..TABLES {
            let mut cell = |cell: usize| CellValues {
                values: (0..repeats)
                    .map(|_| level(cell) * (noise(cell) * normal(&mut rng)).exp())
                    .collect(),
                errors: vec![None; repeats],
            };
            let cells: Vec<CellValues> = (0..CELLS).map(&mut cell).collect();
            for (cell, interval) in t_intervals(&cells, statistic).into_iter().enumerate() {
                let interval = interval.unwrap();
                hits += usize::from((interval.low..=interval.high).contains(&level(cell)));
            }
        }
        hits as f64 / (TABLES * CELLS) as f64
    }

    #[test]
    fn t_intervals_contain_the_true_value_in_95_of_100_cases() {
        for statistic in [Statistic::Mean, Statistic::Median] {
            for repeats in [2, 3, 5] {
                let same = coverage(repeats, statistic, |_| 0.03);
                assert!((0.93..0.975).contains(&same), "{repeats} {statistic:?}: {same}");
                let different = coverage(repeats, statistic, |cell| if cell % 4 == 0 { 0.2 } else { 0.01 });
                assert!(
                    (0.92..0.985).contains(&different),
                    "{repeats} {statistic:?}, unequal noise: {different}"
                );
            }
        }
    }

    #[test]
    fn single_repeats_and_zeros_have_no_t_interval() {
        let cell = |values: &[f64]| CellValues {
            values: values.to_vec(),
            errors: vec![Some(0.1); values.len()],
        };
        let cells = [cell(&[10.0]), cell(&[0.0, 0.0, 0.0]), cell(&[9.0, 10.0, 0.0])];
        assert_eq!(t_intervals(&cells, Statistic::Mean), [None; 3]);
        let equal = CellValues {
            values: vec![5.0; 3],
            errors: vec![None; 3],
        };
        assert_eq!(t_intervals(&[equal], Statistic::Mean), [None]);
    }

    proptest! {
        #[test]
        fn interval_contains_its_statistic(values in proptest::collection::vec(1e-3f64..1e6, 2..8)) {
            let cell = CellValues { errors: vec![None; values.len()], values };
            for statistic in [Statistic::Median, Statistic::Mean] {
                let at = statistic.of(&cell.values).unwrap();
                if let Some(interval) = t_intervals(std::slice::from_ref(&cell), statistic)[0] {
                    prop_assert!(interval.low <= at && at <= interval.high);
                }
            }
        }
    }
}
