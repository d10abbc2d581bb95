//! Cells compared with their baselines, all those of a table together.

use serde::Serialize;

use crate::plan::table_spec::Compare;
use crate::stats::confidence_interval::{Interval, chance, student};
use crate::stats::descriptive::{mean, variance};
use crate::stats::variance_shrinkage::Prior;

/// Beyond this chance, after correction, a difference is not significant.
const SIGNIFICANT: f64 = 0.05;

/// One repeat of a cell and of its baseline, which had the same arrivals and keys in the same block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) value: f64,
    pub(crate) baseline: f64,
    /// Squares of the standard errors inside of both windows, where they are known.
    pub(crate) errors: Option<(f64, f64)>,
}

/// How a cell differs from its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The geometric mean of the ratios of the repeats, or the mean of their differences.
    pub value: f64,
    /// Where the true one is; `None` with one repeat and no error inside of its window.
    pub interval: Option<Interval>,
    /// The chance of so large a difference where there is none; `None` when it cannot be told: with one repeat, nobody knows
    /// how much two runs of the same cell differ.
    pub p: Option<f64>,
    /// Whether it is significant at 5 % after Holm's correction for all comparisons of the table.
    pub significant: bool,
}

/// A comparison before it is seen with the others: the differences of its repeats, and the variance of a difference that
/// the errors inside of the windows come to.
struct Differences {
    values: Vec<f64>,
    inside: Option<f64>,
}

/// Compares; `None` where there is nothing to compare, or no ratio because a figure is 0.
pub(crate) fn compare(table: &[Vec<Pair>], how: Compare) -> Vec<Option<Comparison>> {
    let differences: Vec<Option<Differences>> = table.iter().map(|pairs| differences(pairs, how)).collect();
    let variances = differences.iter().flatten().filter_map(|one| {
        let variance = variance(&one.values)?;
        Some((
            variance.max(one.inside.unwrap_or(0.0)),
            one.values.len() as f64 - 1.0,
        ))
    });
    let prior = Prior::of(&variances.collect::<Vec<_>>());
    let compared = differences
        .iter()
        .map(|one| one.as_ref().and_then(|one| one.compare(prior, how)));
    let mut compared: Vec<Option<Comparison>> = compared.collect();
    mark(&mut compared);
    compared
}

fn differences(pairs: &[Pair], how: Compare) -> Option<Differences> {
    let mut values = Vec::new();
    for pair in pairs {
        values.push(match how {
            Compare::Difference => pair.value - pair.baseline,
            Compare::Ratio if pair.value > 0.0 && pair.baseline > 0.0 => (pair.value / pair.baseline).ln(),
            Compare::Ratio => return None,
        });
    }
    let inside: Option<Vec<f64>> = pairs.iter().map(|pair| inside(pair, how)).collect();
    Some(Differences {
        values,
        inside: inside.and_then(|inside| mean(&inside)),
    })
}

/// The variance of a difference, by the errors inside of both windows.
fn inside(pair: &Pair, how: Compare) -> Option<f64> {
    let (value, baseline) = pair.errors?;
    Some(match how {
        Compare::Difference => value + baseline,
        Compare::Ratio => value / pair.value.powi(2) + baseline / pair.baseline.powi(2),
    })
}

impl Differences {
    fn compare(&self, prior: Prior, how: Compare) -> Option<Comparison> {
        let (at, count) = (mean(&self.values)?, self.values.len() as f64);
        let back = |value: f64| match how {
            Compare::Ratio => value.exp(),
            Compare::Difference => value,
        };
        let interval = |half: f64| Interval {
            low: back(at - half),
            high: back(at + half),
        };
        let inside = self.inside.unwrap_or(0.0);
        let Some(between) = variance(&self.values) else {
            // About 10 numbers make the error inside of a window, in effect.
            let half = self.inside.map(|inside| student(10.0) * inside.sqrt());
            return Some(Comparison {
                value: back(at),
                interval: half.map(interval),
                p: None,
                significant: false,
            });
        };
        let (moderated, freedom) = prior.moderate(between.max(inside), count - 1.0);
        let error = (moderated.max(inside) / count).sqrt();
        Some(Comparison {
            value: back(at),
            interval: Some(interval(student(freedom) * error)),
            // Repeats that are all the same tell nothing about how much they would differ.
            p: (error > 0.0).then(|| chance(at / error, freedom)),
            significant: false,
        })
    }
}

/// Holm's step-down correction (A simple sequentially rejective multiple test procedure, 1979).
fn mark(compared: &mut [Option<Comparison>]) {
    let mut tested: Vec<&mut Comparison> = compared
        .iter_mut()
        .flatten()
        .filter(|one| one.p.is_some())
        .collect();
    let chance = |one: &Comparison| one.p.unwrap_or(1.0);
    tested.sort_by(|one, other| chance(one).total_cmp(&chance(other)));
    let count = tested.len();
    for (rank, one) in tested.into_iter().enumerate() {
        if chance(one) > SIGNIFICANT / (count - rank) as f64 {
            return;
        }
        one.significant = true;
    }
}

#[cfg(test)]
mod tests {
    use logtrace_driver::random::{Stream, Xoshiro256PlusPlus};

    use super::*;
    use crate::stats::descriptive::error_of_mean;
    use crate::stats::descriptive::tests::{alike, normal};

    /// A study of cells against baselines: what differs, how noisy runs are, and how alike neighbouring parts of a run.
    struct Study {
        comparisons: usize,
        repeats: usize,
        effect: fn(usize) -> f64,
        between: fn(usize) -> f64,
        alike: f64,
        shared_baseline: bool,
    }

    const SAME: Study = Study {
        comparisons: 40,
        repeats: 3,
        effect: |_| 1.0,
        between: |_| 0.03,
        alike: 0.8,
        shared_baseline: false,
    };

    impl Study {
        /// Throughput of one run and its error inside: 100 parts of a series, around a level that differs from run to run.
        fn run(&self, rng: &mut Xoshiro256PlusPlus, cell: usize, effect: f64) -> (f64, f64) {
            let level = 1000.0 * effect * (1.0 + (self.between)(cell) * normal(rng));
            let series: Vec<f64> = alike(rng, self.alike, 100)
                .iter()
                .map(|part| level * (1.0 + 0.2 * part))
                .collect();
            (mean(&series).unwrap(), error_of_mean(&series).unwrap())
        }

        fn compared(&self, seed: u64) -> Vec<Option<Comparison>> {
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
            compare(&table, Compare::Ratio)
        }

        /// Shares of comparisons that are significant after correction, and before it, over many studies.
        fn significant(&self) -> (f64, f64) {
            const STUDIES: u64 = 100;
            let (mut after, mut before) = (0, 0);
            for seed in 0..STUDIES {
                for comparison in self.compared(seed).into_iter().flatten() {
                    after += u32::from(comparison.significant);
                    before += u32::from(comparison.p.is_some_and(|p| p < SIGNIFICANT));
                }
            }
            let all = STUDIES as f64 * self.comparisons as f64;
            (f64::from(after) / all, f64::from(before) / all)
        }
    }

    #[test]
    fn identical_cells_hardly_ever_differ_significantly() {
        for repeats in [2, 3, 5] {
            for (alike, between) in [
                (0.0, (|_| 0.03) as fn(usize) -> f64),
                (0.8, |_| 0.0),
                (0.8, |_| 0.03),
            ] {
                let study = Study {
                    repeats,
                    alike,
                    between,
                    ..SAME
                };
                let (after, before) = study.significant();
                assert!(after < 0.01, "{repeats} {alike}: {after}");
                assert!(before < 0.065, "{repeats} {alike}: {before}");
            }
        }
    }

    #[test]
    fn nor_do_they_when_noise_differs_from_cell_to_cell_or_all_have_one_baseline() {
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
    fn a_fifth_less_is_found_with_three_repeats() {
        let study = Study {
            effect: |cell| if cell % 2 == 0 { 0.8 } else { 1.0 },
            comparisons: 20,
            alike: 0.5,
            ..SAME
        };
        let (after, _) = study.significant();
        assert!((0.4..0.52).contains(&after), "{after}: half of them differ");
    }

    #[test]
    fn one_repeat_has_a_ratio_and_no_significance() {
        let pair = Pair {
            value: 50.0,
            baseline: 100.0,
            errors: Some((1.0, 1.0)),
        };
        let compared = compare(&[vec![pair]], Compare::Ratio)[0].unwrap();
        assert!((compared.value - 0.5).abs() < 1e-9 && compared.p.is_none() && !compared.significant);
        let interval = compared.interval.unwrap();
        assert!(interval.low < 0.5 && 0.5 < interval.high && interval.high < 0.6);
    }

    #[test]
    fn nothing_has_no_ratio_but_a_difference() {
        let pair = |value, baseline| Pair {
            value,
            baseline,
            errors: None,
        };
        let pairs = vec![pair(3.0, 0.0), pair(4.0, 0.0), pair(5.0, 0.0)];
        assert_eq!(
            compare(&[pairs.clone(), Vec::new()], Compare::Ratio),
            [None, None]
        );
        let compared = compare(&[pairs], Compare::Difference)[0].unwrap();
        assert!((compared.value - 4.0).abs() < 1e-9 && compared.p.unwrap() < 0.05 && compared.significant);
        let same = compare(&[vec![pair(1.0, 1.0); 3]], Compare::Ratio)[0].unwrap();
        assert_eq!((same.value, same.p, same.significant), (1.0, None, false));
    }

    #[test]
    fn holms_correction_stops_at_the_first_that_is_chance() {
        let with = |p: f64| Comparison {
            value: 1.0,
            interval: None,
            p: Some(p),
            significant: false,
        };
        let mut compared = [0.03, 0.001, 0.02, 0.04].map(|p| Some(with(p)));
        mark(&mut compared);
        let significant = compared.map(|one| one.unwrap().significant);
        assert_eq!(significant, [false, true, false, false], "0.02 is above 0.05 / 3");
    }
}
