//! Comparisons of cells with their baselines, all those of a table together.
//!
//! Intervals are not corrected for the number of comparisons, but significance is. An interval says how large one value is,
//! from the measurements of that cell. A simultaneous one would be wider in a larger table, and with Holm's method infinite
//! or one-sided for most entries. Significance says whether there is a difference among the many that were looked at.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::Display;

use crate::confidence_interval::Interval;
use crate::descriptive::mean;
use crate::standard_error::{Repeats, StandardError, standard_errors};

/// Largest probability, after correction, of a significant difference.
pub(crate) const SIGNIFICANT: f64 = 0.05;

/// Comparison of a cell with its baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Compare")]
#[strum(serialize_all = "snake_case")]
pub enum DifferenceScale {
    /// Value of the cell divided by that of the baseline.
    #[default]
    Ratio,
    /// Value of the cell minus that of the baseline.
    Difference,
}

/// One repeat of a cell and the same repeat of its baseline: both had the same arrivals and keys, in the same block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Value of the cell.
    pub value: f64,
    /// Value of the baseline.
    pub baseline: f64,
    /// Squared standard errors of both inside their windows, where they are known.
    pub errors: Option<(f64, f64)>,
}

/// Difference between a cell and its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Comparison", deny_unknown_fields)]
pub struct TestedDifference {
    /// Geometric mean of the ratios of the repeats, or mean of their differences.
    pub value: f64,
    /// 95 % t interval of the true ratio or difference, not corrected for the number of comparisons. `None` with one
    /// repeat, and when all repeats differ by the same.
    pub interval: Option<Interval>,
    /// Probability of such a difference, or a larger one, if there were none; before correction. `None` where there is no
    /// interval: one repeat does not show how much two runs of the same cell differ.
    #[schemars(range(min = 0, max = 1))]
    pub p: Option<f64>,
    /// Smallest true ratio above 1, or difference above 0, whose interval would not contain 1 or 0 in 80 of 100 studies like
    /// this one. `None` where there is no interval.
    pub visible: Option<f64>,
    /// Whether the difference is significant at 5 % after Holm's correction for all comparisons of the table.
    pub significant: bool,
}

impl DifferenceScale {
    /// Returns the difference of a value from a baseline on the scale of the test, or `None` if there is no ratio because one of
    /// them is 0.
    pub fn difference(self, value: f64, baseline: f64) -> Option<f64> {
        match self {
            Self::Difference => Some(value - baseline),
            Self::Ratio if value > 0.0 && baseline > 0.0 => Some((value / baseline).ln()),
            Self::Ratio => None,
        }
    }

    /// Returns the comparison with a difference on the scale of the test, and its error there. It is not marked as significant.
    pub fn test_result(self, difference: f64, error: Option<StandardError>) -> TestedDifference {
        let interval = |error: StandardError| Interval {
            low: self.back_transformed(difference - error.half_width()),
            high: self.back_transformed(difference + error.half_width()),
        };
        TestedDifference {
            value: self.back_transformed(difference),
            interval: error.map(interval),
            p: error.map(|error| error.p(difference)),
            visible: error.map(|error| self.back_transformed(error.visible())),
            significant: false,
        }
    }

    /// Returns the ratio or the difference of two equal numbers.
    pub fn none(self) -> f64 {
        self.back_transformed(0.0)
    }

    /// Returns the variance of that difference that the noise inside both windows makes.
    fn variance_within(self, pair: &Pair) -> Option<f64> {
        let (value, baseline) = pair.errors?;
        Some(match self {
            Self::Difference => value + baseline,
            Self::Ratio => value / pair.value.powi(2) + baseline / pair.baseline.powi(2),
        })
    }

    /// Returns a difference on the scale of the test as a ratio or a difference again.
    fn back_transformed(self, value: f64) -> f64 {
        match self {
            Self::Ratio => value.exp(),
            Self::Difference => value,
        }
    }
}

/// Compares the cells of a table. `None` where there is nothing to compare, or no ratio because a value is 0.
pub fn compare_cells(table: &[Vec<Pair>], how: DifferenceScale) -> Vec<Option<TestedDifference>> {
    let repeats: Vec<Option<Repeats>> = table.iter().map(|pairs| differences(pairs, how)).collect();
    let compared = repeats
        .iter()
        .zip(standard_errors(&repeats))
        .map(|(repeats, error)| {
            let mean = mean(&repeats.as_ref()?.values)?;
            Some(how.test_result(mean, error))
        });
    let mut compared: Vec<Option<TestedDifference>> = compared.collect();
    mark_significant(&mut compared);
    compared
}

/// Compares one cell with its baseline for itself: no other variance moderates its own, and it is corrected for nothing else.
pub fn compare_alone(pairs: &[Pair], how: DifferenceScale) -> Option<TestedDifference> {
    compare_cells(&[pairs.to_vec()], how).pop()?
}

fn differences(pairs: &[Pair], how: DifferenceScale) -> Option<Repeats> {
    let values: Option<Vec<f64>> = pairs
        .iter()
        .map(|pair| how.difference(pair.value, pair.baseline))
        .collect();
    let within: Option<Vec<f64>> = pairs.iter().map(|pair| how.variance_within(pair)).collect();
    Some(Repeats {
        values: values?,
        within: within.and_then(|within| mean(&within)),
    })
}

/// Marks what is significant after Holm's step-down correction (A simple sequentially rejective multiple test procedure,
/// 1979).
pub fn mark_significant(compared: &mut [Option<TestedDifference>]) {
    let mut tested: Vec<(f64, &mut TestedDifference)> = compared
        .iter_mut()
        .flatten()
        .filter_map(|one| {
            one.significant = false;
            Some((one.p?, one))
        })
        .collect();
    tested.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let count = tested.len();
    for (rank, (p, one)) in tested.into_iter().enumerate() {
        if p > SIGNIFICANT / (count - rank) as f64 {
            return;
        }
        one.significant = true;
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::{Stream, Xoshiro256PlusPlus};

    use super::*;
    use crate::descriptive::tests::normal;
    use crate::time_series::error_of_mean;
    use crate::time_series::tests::autocorrelated;

    /// Study of cells against baselines, with the noise between runs and the correlation between neighbouring slices of a
    /// run.
    struct Study {
        comparisons: usize,
        repeats: usize,
        effect: fn(usize) -> f64,
        between: fn(usize) -> f64,
        correlation: f64,
        shared_baseline: bool,
    }

    const SAME: Study = Study {
        comparisons: 40,
        repeats: 3,
        effect: |_| 1.0,
        between: |_| 0.03,
        correlation: 0.8,
        shared_baseline: false,
    };

    impl Study {
        /// Draws the throughput of one run and its error inside the window: 100 slices of a correlated series around a level
        /// that differs from run to run.
        fn run(&self, rng: &mut Xoshiro256PlusPlus, cell: usize, effect: f64) -> (f64, f64) {
            let level = 1000.0 * effect * (1.0 + (self.between)(cell) * normal(rng));
            let series: Vec<f64> = autocorrelated(rng, self.correlation, 100)
                .iter()
                .map(|part| level * (1.0 + 0.2 * part))
                .collect();
            (mean(&series).unwrap(), error_of_mean(&series).unwrap())
        }

        fn compared(&self, seed: u64) -> Vec<Option<TestedDifference>> {
            let mut rng = Stream::Study(8).rng(seed);
            let shared: Vec<(f64, f64)> = (0..self.repeats).map(|_| self.run(&mut rng, 0, 1.0)).collect();
            let mut table = Vec::new();
            for cell in 0..self.comparisons {
                let pairs = (0..self.repeats).map(|repeat| {
                    let (value, error) = self.run(&mut rng, cell, (self.effect)(cell));
                    let (baseline, baseline_error) = match self.shared_baseline {
                        true => shared[repeat],
                        false => self.run(&mut rng, cell, 1.0),
                    };
                    Pair {
                        value,
                        baseline,
                        errors: Some((error.powi(2), baseline_error.powi(2))),
                    }
                });
                table.push(pairs.collect());
            }
            compare_cells(&table, DifferenceScale::Ratio)
        }

        /// Returns the shares of comparisons that are significant after correction, and before it, over many studies. A
        /// comparison is significant before correction exactly when its interval does not contain 1.
        fn significant(&self) -> (f64, f64) {
            const STUDIES: u64 = 100;
            let (mut after, mut before) = (0, 0);
            for seed in 0..STUDIES {
                for comparison in self.compared(seed).into_iter().flatten() {
                    after += u32::from(comparison.significant);
                    let is_different = comparison.p.is_some_and(|p| p < SIGNIFICANT);
                    let interval = comparison.interval.unwrap();
                    assert_eq!(is_different, !(interval.low..=interval.high).contains(&1.0));
                    before += u32::from(is_different);
                }
            }
            let all = STUDIES as f64 * self.comparisons as f64;
            (f64::from(after) / all, f64::from(before) / all)
        }
    }

    #[test]
    fn identical_cells_are_rarely_significant() {
        for repeats in [2, 3, 5] {
            for (correlation, between) in [
                (0.0, (|_| 0.03) as fn(usize) -> f64),
                (0.8, |_| 0.0),
                (0.8, |_| 0.03),
            ] {
                let study = Study {
                    repeats,
                    correlation,
                    between,
                    ..SAME
                };
                let (after, before) = study.significant();
                assert!(after < 0.01, "{repeats} {correlation}: {after}");
                assert!(before < 0.065, "{repeats} {correlation}: {before}");
            }
        }
    }

    #[test]
    fn identical_cells_are_rarely_significant_with_unequal_noise_or_a_shared_baseline() {
        let noisy = Study {
            between: |cell| if cell % 5 == 0 { 0.3 } else { 0.01 },
            ..SAME
        };
        let shared = Study {
            shared_baseline: true,
            ..SAME
        };
        for study in [noisy, shared] {
            let (after, before) = study.significant();
            assert!(after < 0.05 && before < 0.09, "{after} {before}");
        }
    }

    #[test]
    fn twenty_percent_less_is_found_with_three_repeats() {
        let study = Study {
            effect: |cell| if cell % 2 == 0 { 0.8 } else { 1.0 },
            comparisons: 20,
            correlation: 0.5,
            ..SAME
        };
        let (after, _) = study.significant();
        assert!((0.4..0.52).contains(&after), "{after}: half of them differ");
    }

    #[test]
    fn one_repeat_has_a_ratio_without_interval() {
        let pair = Pair {
            value: 50.0,
            baseline: 100.0,
            errors: Some((1.0, 1.0)),
        };
        let compared = compare_cells(&[vec![pair]], DifferenceScale::Ratio)[0].unwrap();
        assert!((compared.value - 0.5).abs() < 1e-9 && !compared.significant);
        assert_eq!((compared.interval, compared.p), (None, None));
    }

    #[test]
    fn zero_has_a_difference_but_no_ratio() {
        let pair = |value, baseline| Pair {
            value,
            baseline,
            errors: None,
        };
        let pairs = vec![pair(3.0, 0.0), pair(4.0, 0.0), pair(5.0, 0.0)];
        assert_eq!(
            compare_cells(&[pairs.clone(), Vec::new()], DifferenceScale::Ratio),
            [None, None]
        );
        let compared = compare_cells(&[pairs], DifferenceScale::Difference)[0].unwrap();
        assert!((compared.value - 4.0).abs() < 1e-9 && compared.p.unwrap() < 0.05 && compared.significant);
        let same = compare_cells(&[vec![pair(1.0, 1.0); 3]], DifferenceScale::Ratio)[0].unwrap();
        assert_eq!(
            (same.value, same.p, same.interval, same.significant),
            (1.0, None, None, false)
        );
    }

    #[test]
    fn holm_correction_stops_at_the_first_insignificant_p() {
        let with = |p: f64| TestedDifference {
            value: 1.0,
            interval: None,
            p: Some(p),
            visible: None,
            significant: false,
        };
        let mut compared = [0.03, 0.001, 0.02, 0.04].map(|p| Some(with(p)));
        mark_significant(&mut compared);
        let significant = compared.map(|one| one.unwrap().significant);
        assert_eq!(significant, [false, true, false, false], "0.02 is above 0.05 / 3");
    }
}
