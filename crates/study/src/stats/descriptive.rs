//! Mean, median and variance, and the error of the mean of a time series.

use statrs::statistics::{Data, OrderStatistics, Statistics};

/// Returns the arithmetic mean of `values`, or `None` if there are none.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.mean())
}

/// Returns the median of `values`, or `None` if there are none.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).median())
}

/// Returns the sample variance of `values`, or `None` if there are fewer than two.
pub(crate) fn variance(values: &[f64]) -> Option<f64> {
    (values.len() >= 2).then(|| values.variance())
}

/// Length of the shortest series whose autocorrelation can be estimated.
const FEWEST: usize = 20;

/// Returns the standard error of the mean of a time series, or `None` if it has fewer than twenty numbers.
///
/// Neighbours may be correlated; then the series carries less information than as many independent numbers. Autocovariances
/// are summed by Geyer's initial positive sequence (Practical Markov chain Monte Carlo, 1992): in pairs, as long as the sum
/// of a pair is above 0.
pub(crate) fn error_of_mean(series: &[f64]) -> Option<f64> {
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
    Some(((own + 2.0 * correlated) / length).sqrt())
}

#[cfg(test)]
pub(crate) mod tests {
    use logtrace_driver::random::{Rng, Stream, Xoshiro256PlusPlus};
    use proptest::prelude::*;

    use super::*;

    /// Draws a number of the standard normal distribution (Box and Muller).
    pub(crate) fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
        let mut unit = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (radius, angle) = ((-2.0 * unit().ln()).sqrt(), std::f64::consts::TAU * unit());
        radius * angle.cos()
    }

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
    fn medians_and_variances_have_known_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(variance(&[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!((median(&[]), mean(&[]), variance(&[1.0])), (None, None, None));
        assert_eq!(error_of_mean(&[1.0; 19]), None);
        assert_eq!(error_of_mean(&[1.0; 20]), Some(0.0));
    }

    proptest! {
        #[test]
        fn median_has_as_many_values_below_as_above(values in proptest::collection::vec(-1e9f64..1e9, 1..50)) {
            let median = median(&values).unwrap();
            let below = values.iter().filter(|&&value| value < median).count();
            let above = values.iter().filter(|&&value| value > median).count();
            prop_assert!(below * 2 <= values.len() && above * 2 <= values.len());
        }

        #[test]
        fn error_of_mean_is_not_negative(values in proptest::collection::vec(-1e9f64..1e9, 20..200)) {
            prop_assert!(error_of_mean(&values).unwrap() >= 0.0);
        }
    }
}
