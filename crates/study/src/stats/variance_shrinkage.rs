//! Variances of few repeats, moderated by those of the other comparisons of a table.
//!
//! Three repeats tell next to nothing about a variance. But a table has many comparisons on one machine. Smyth's empirical
//! Bayes method (Linear models and empirical Bayes methods for assessing differential expression, 2004) takes the
//! variances of all of them for draws from one distribution, finds out how much they differ by more than chance, and draws
//! each towards the common one as far as that allows. Where the noise of cells differs much, it leaves them alone.

use statrs::function::gamma::digamma;

/// What the variances of a table have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    variance: f64,
    freedom: f64,
}

/// Fewer variances have nothing to tell about each other.
const FEWEST: usize = 4;

impl Prior {
    /// From variances and their degrees of freedom.
    pub(crate) fn of(variances: &[(f64, f64)]) -> Self {
        let none = Self {
            variance: 0.0,
            freedom: 0.0,
        };
        let known: Vec<(f64, f64)> = variances
            .iter()
            .copied()
            .filter(|(variance, _)| *variance > 0.0)
            .collect();
        if known.len() < FEWEST {
            return none;
        }
        let number = known.len() as f64;
        // Logarithms of variances, less what is to be expected of them by their degrees of freedom.
        let logs = known.iter().map(|(variance, freedom)| {
            let half = freedom / 2.0;
            variance.ln() - digamma(half) + half.ln()
        });
        let logs: Vec<f64> = logs.collect();
        let mean = logs.iter().sum::<f64>() / number;
        let spread = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (number - 1.0);
        let chance = known
            .iter()
            .map(|(_, freedom)| trigamma(freedom / 2.0))
            .sum::<f64>()
            / number;
        // Comparisons with the same baseline share its noise, and so are less than they seem.
        let most = known.iter().map(|(_, freedom)| freedom).sum::<f64>() / 2.0;
        let freedom = match spread - chance {
            excess if excess > 0.0 => (2.0 * trigamma_inverse(excess)).min(most),
            _ => most,
        };
        let half = freedom / 2.0;
        Self {
            variance: (mean + digamma(half) - half.ln()).exp(),
            freedom,
        }
    }

    /// A variance drawn towards the common one, and its degrees of freedom now.
    pub(crate) fn moderate(self, variance: f64, freedom: f64) -> (f64, f64) {
        let all = self.freedom + freedom;
        let moderated = (self.freedom * self.variance + freedom * variance) / all;
        (moderated, all)
    }
}

/// The second derivative of the logarithm of the gamma function, by its asymptotic series; `at` is above 0.
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

/// Where the trigamma function has this value above 0: it falls all the time, and so the place is halved in.
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
    use logtrace_driver::random::Stream;

    use super::*;
    use crate::stats::descriptive::tests::normal;
    use crate::stats::descriptive::variance;

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
    fn the_same_noise_is_found_to_be_the_same_and_different_noise_is_left_alone() {
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
