//! Variances of few repeats, moderated by the other variances of a table.
//!
//! Three repeats give a very uncertain variance, but a table has many cells from one machine. Smyth's empirical Bayes method
//! (Linear models and empirical Bayes methods for assessing differential expression, 2004) assumes that the true variances
//! come from one distribution. It estimates how much they differ by more than chance, and moves each towards the common one
//! as far as that allows. If the noise of cells differs much, it leaves the variances as they are.

use statrs::function::gamma::digamma;
use statrs::statistics::Statistics;

/// Distribution of the variances of a table: the common variance, and the degrees of freedom that it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    variance: f64,
    freedom: f64,
}

/// Number of variances below which no prior is estimated: a prior of fewer makes intervals that are too narrow
/// (`coverage.rs`). With four cells, intervals of three repeats had a coverage of 93.6 % instead of 95.
const FEWEST: usize = 12;

impl Prior {
    /// Estimates the prior from variances and their degrees of freedom.
    pub(crate) fn of(variances: &[(f64, f64)]) -> Self {
        let none = Self {
            variance: 0.0,
            freedom: 0.0,
        };
        let known: Vec<(f64, f64)> = variances.iter().copied().filter(|known| known.0 > 0.0).collect();
        if known.len() < FEWEST {
            return none;
        }
        // Logarithms of the variances, minus the bias that their degrees of freedom cause.
        let logs = known.iter().map(|(variance, freedom)| {
            let half = freedom / 2.0;
            variance.ln() - digamma(half) + half.ln()
        });
        let chance = known.iter().map(|(_, freedom)| trigamma(freedom / 2.0)).mean();
        // Comparisons with the same baseline share its noise, so they carry less information than their number suggests.
        let most = known.iter().map(|(_, freedom)| freedom).sum::<f64>() / 2.0;
        let freedom = match logs.clone().variance() - chance {
            excess if excess > 0.0 => (2.0 * trigamma_inverse(excess)).min(most),
            _ => most,
        };
        let half = freedom / 2.0;
        Self {
            variance: (logs.mean() + digamma(half) - half.ln()).exp(),
            freedom,
        }
    }

    /// Returns a variance moved towards the common one, and its new degrees of freedom.
    pub(crate) fn moderate(self, variance: f64, freedom: f64) -> (f64, f64) {
        let all = self.freedom + freedom;
        let moderated = (self.freedom * self.variance + freedom * variance) / all;
        (moderated, all)
    }
}

/// Returns the second derivative of the logarithm of the gamma function at `at` > 0, by its asymptotic series.
fn trigamma(at: f64) -> f64 {
    let (mut at, mut below) = (at, 0.0);
    while at < 8.0 {
        below += 1.0 / (at * at);
        at += 1.0;
    }
    let inverse = 1.0 / at;
    let square = inverse * inverse;
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    below + inverse * (1.0 + inverse / 2.0 + square * series)
}

/// Returns the argument at which the trigamma function, which falls everywhere, has `value` > 0, by bisection.
fn trigamma_inverse(value: f64) -> f64 {
    let (mut low, mut high) = (1e-8, 1e8);
    for _ in 0..200 {
        let middle = f64::sqrt(low * high);
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::sqrt(low * high)
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::descriptive::tests::normal;
    use crate::descriptive::variance;

    #[test]
    fn trigamma_has_its_known_values() {
        let pi = std::f64::consts::PI;
        for (at, value) in [
            (1.0, pi * pi / 6.0),
            (0.5, pi * pi / 2.0),
            (2.0, pi * pi / 6.0 - 1.0),
        ] {
            assert!((trigamma(at) - value).abs() < 1e-9, "{at}");
            assert!((trigamma_inverse(value) - at).abs() < 1e-6, "{at}");
        }
    }

    fn variances(noise: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let mut rng = Stream::Study(3).rng(5);
        let mut one = |at: usize| {
            let values: Vec<f64> = (0..3).map(|_| noise(at) * normal(&mut rng)).collect();
            (variance(&values).unwrap(), 2.0)
        };
        (0..40).map(&mut one).collect()
    }

    #[test]
    fn equal_variances_are_pooled_and_different_ones_are_left_as_they_are() {
        let same = Prior::of(&variances(|_| 3.0));
        assert!(
            (5.0..15.0).contains(&same.variance) && same.freedom > 5.0,
            "{same:?}"
        );
        let different = Prior::of(&variances(|at| if at % 2 == 0 { 0.01 } else { 10.0 }));
        assert!(different.freedom < 1.0, "{different:?}");
        let (moderated, freedom) = different.moderate(100.0, 2.0);
        assert!(moderated > 60.0 && freedom < 3.0, "{moderated}");
    }

    #[test]
    fn few_variances_stay_as_they_are() {
        let prior = Prior::of(&[(1.0, 2.0), (9.0, 2.0), (0.0, 2.0), (0.0, 2.0)]);
        assert_eq!(prior.moderate(7.0, 2.0), (7.0, 2.0));
    }
}
