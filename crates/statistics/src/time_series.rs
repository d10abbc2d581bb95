//! Error of the mean of a time series, whose neighbours may be correlated.

use statrs::statistics::Statistics;

use crate::standard_error::StandardError;

/// Length of the shortest series whose autocorrelation can be estimated.
const FEWEST: usize = 20;

/// Returns the standard error of the mean of a time series, or `None` if it has fewer than twenty numbers.
///
/// Neighbours may be correlated; then the series carries less information than as many independent numbers, and the degrees
/// of freedom are fewer. Autocovariances are summed by Geyer's initial positive sequence (Practical Markov chain Monte Carlo,
/// 1992): in pairs, as long as the sum of a pair is above 0.
pub fn series_error(series: &[f64]) -> Option<StandardError> {
    if series.len() < FEWEST {
        return None;
    }
    let mean = series.mean();
    let length = series.len() as f64;
    let covariance = |lag: usize| {
        let pairs = series.iter().zip(&series[lag..]);
        pairs
            .map(|(one, other)| (one - mean) * (other - mean))
            .sum::<f64>()
            / length
    };
    let own = covariance(0);
    // The mean is estimated from the same series, which lowers all covariances; beyond a quarter of it they are noise.
    let pairs = (1..series.len() / 4)
        .step_by(2)
        .map(|lag| covariance(lag) + covariance(lag + 1));
    let correlated: f64 = pairs.take_while(|pair| *pair > 0.0).sum();
    let all = own + 2.0 * correlated;
    let independent = if all > 0.0 { length * own / all } else { length };
    Some(StandardError {
        error: (all / length).sqrt(),
        freedom: (independent - 1.0).max(1.0),
    })
}

/// Returns the standard error of the mean of a time series alone ([`series_error`]).
pub fn error_of_mean(series: &[f64]) -> Option<f64> {
    Some(series_error(series)?.error)
}

#[cfg(test)]
pub(crate) mod tests {
    use logtrace_common::random::{Stream, Xoshiro256PlusPlus};
    use proptest::prelude::*;

    use super::*;
    use crate::descriptive::tests::normal;
    use crate::descriptive::{mean, variance};

    /// Draws an autoregressive series: each number keeps `share` of the one before it, and has variance 1.
    pub(crate) fn autocorrelated(rng: &mut Xoshiro256PlusPlus, share: f64, length: usize) -> Vec<f64> {
        let mut last = normal(rng);
        let mut next = || {
            last = share * last + (1.0 - share * share).sqrt() * normal(rng);
            last
        };
        (0..length).map(|_| next()).collect()
    }

    /// Returns the share of series whose mean is more than 1.96 errors away from 0.
    fn misses(share: f64, length: usize, error: impl Fn(&[f64]) -> f64) -> f64 {
        let mut rng = Stream::Study(1).rng(7);
        let missed = (0..2000).filter(|_| {
            let series = autocorrelated(&mut rng, share, length);
            mean(&series).unwrap().abs() > 1.96 * error(&series)
        });
        missed.count() as f64 / 2000.0
    }

    #[test]
    fn error_of_mean_accounts_for_autocorrelation() {
        for share in [0.0, 0.5, 0.8] {
            let missed = misses(share, 300, |series| error_of_mean(series).unwrap());
            assert!((0.02..0.10).contains(&missed), "{share}: {missed}");
        }
        let naive = misses(0.8, 300, |series| (variance(series).unwrap() / 300.0).sqrt());
        assert!(naive > 0.3, "the usual error would miss {naive}");
    }

    #[test]
    fn a_short_series_has_no_error_and_an_even_one_has_none() {
        assert_eq!(error_of_mean(&[1.0; 19]), None);
        assert_eq!(error_of_mean(&[1.0; 20]), Some(0.0));
    }

    #[test]
    fn a_correlated_series_has_fewer_degrees_of_freedom() {
        let mut rng = Stream::Study(1).rng(7);
        let mut freedom = |share| {
            series_error(&autocorrelated(&mut rng, share, 300))
                .unwrap()
                .freedom
        };
        let (independent, correlated) = (freedom(0.0), freedom(0.8));
        assert!(
            independent > 150.0 && correlated < 100.0,
            "{independent} {correlated}"
        );
    }

    proptest! {
        #[test]
        fn error_of_mean_is_not_negative(values in proptest::collection::vec(-1e9f64..1e9, 20..200)) {
            prop_assert!(error_of_mean(&values).unwrap() >= 0.0);
        }
    }
}
