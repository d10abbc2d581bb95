//! Confidence intervals of the figures of a table's cells.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::descriptive::mean;
use crate::standard_error::{Repeats, StandardError, standard_errors};
use crate::statistic::Statistic;

/// 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Returns a number with its interval, if it has one.
pub fn with_interval(value: f64, interval: Option<Interval>, text: impl Fn(f64) -> String) -> String {
    match interval {
        Some(Interval { low, high }) => format!("{} ({}..{})", text(value), text(low), text(high)),
        None => text(value),
    }
}

/// Figure of one cell in each of its repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellValues {
    /// Values.
    pub values: Vec<f64>,
    /// Standard error of each value inside its window, where it is known.
    pub errors: Vec<Option<f64>>,
}

/// Returns the t interval of the statistic of each cell of a table.
///
/// Figures are positive and their noise is in proportion to them, so the intervals are computed from logarithms. The
/// variances of all cells moderate one another, as in the test of comparisons. The interval of a median is at least as wide
/// as that between two of the values (`ranks`): a few slow runs may be most of the repeats. Where one run in four was a third
/// slower, t intervals of five repeats covered 89 %. `None` for a cell with a single repeat, for one whose repeats are
/// all equal, and for one with a value of 0.
///
/// Tried: a bootstrap over the repeats. With three repeats its ends are always the lowest and the highest one, and no stall
/// in three windows gave the interval 0 to 0.
pub fn t_intervals(cells: &[CellValues], statistic: Statistic) -> Vec<Option<Interval>> {
    let repeats: Vec<Option<Repeats>> = cells.iter().map(CellValues::logarithms).collect();
    let errors = standard_errors(&repeats).into_iter().zip(cells);
    let interval = |(error, cell): (Option<StandardError>, &CellValues)| {
        let error = error?;
        let relative = statistic.relative_variance(cell.values.len()).sqrt();
        let (value, factor) = (statistic.of(&cell.values)?, (error.half_width() * relative).exp());
        let around = Interval {
            low: value / factor,
            high: value * factor,
        };
        Some(match statistic {
            Statistic::Mean => around,
            Statistic::Median => around.joined(ranks(&cell.values)),
        })
    };
    errors.map(interval).collect()
}

/// Least probability of [`ranks`], if there are enough values.
const RANKS: f64 = 0.9;

/// Returns the interval between the lowest and the highest value without as many values at each end as leave a probability
/// of [`RANKS`] that it contains the median, whatever the distribution. With fewer than five values none is left out.
fn ranks(values: &[f64]) -> Interval {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // The median lies outside if at most `left_out` values are on one of its sides.
    let contains = |left_out: &u64| {
        let sides = Binomial::new(0.5, sorted.len() as u64);
        sides.is_ok_and(|sides| 1.0 - 2.0 * sides.cdf(*left_out) >= RANKS)
    };
    let left_out = (0..sorted.len() as u64 / 2).take_while(contains).last();
    let left_out = left_out.unwrap_or(0) as usize;
    Interval {
        low: sorted[left_out],
        high: sorted[sorted.len() - 1 - left_out],
    }
}

impl Interval {
    /// Returns the smallest interval that contains both.
    fn joined(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranks_leave_out_as_many_values_as_the_tables_of_the_sign_test_say() {
        for (count, left_out) in [(3, 0), (5, 0), (7, 0), (8, 1), (11, 2), (20, 5)] {
            let values: Vec<f64> = (0..count).rev().map(f64::from).collect();
            let interval = ranks(&values);
            let ends = (f64::from(left_out), f64::from(count - 1 - left_out));
            assert_eq!((interval.low, interval.high), ends, "{count} values");
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
