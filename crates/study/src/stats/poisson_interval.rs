//! Confidence intervals of counts.

use statrs::distribution::{ContinuousCDF, Gamma};

use crate::stats::confidence_interval::Interval;
use crate::stats::standard_error::CONFIDENCE;

/// Returns the exact interval (Garwood 1936) of the mean of counts that follow Poisson's distribution. `None` for fewer
/// than two counts: a single window says nothing about how much windows differ.
pub(crate) fn poisson_interval(counts: &[f64]) -> Option<Interval> {
    if counts.len() < 2 {
        return None;
    }
    let total: f64 = counts.iter().sum();
    let quantile = |shape: f64, p: f64| Some(Gamma::new(shape, 1.0).ok()?.inverse_cdf(p));
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let low = if total > 0.0 { quantile(total, tail)? } else { 0.0 };
    Some(Interval {
        low: low / counts.len() as f64,
        high: quantile(total + 1.0, 1.0 - tail)? / counts.len() as f64,
    })
}

#[cfg(test)]
mod tests {
    use logtrace_driver::random::{Rng, Stream, Xoshiro256PlusPlus};

    use super::*;

    #[test]
    fn poisson_interval_of_no_event_ends_above_zero() {
        let none = poisson_interval(&[0.0; 3]).unwrap();
        // -ln(0.025) = 3.689 events in three windows.
        assert!(
            none.low.abs() < 1e-12 && (none.high - 3.689 / 3.0).abs() < 0.001,
            "{none:?}"
        );
        let three = poisson_interval(&[1.0, 2.0]).unwrap();
        assert!((2.0 * three.low - 0.6187).abs() < 0.001 && (2.0 * three.high - 8.7673).abs() < 0.001);
        assert_eq!(poisson_interval(&[4.0]), None);
    }

    /// Draws a count with Knuth's method.
    fn poisson(rng: &mut Xoshiro256PlusPlus, rate: f64) -> f64 {
        let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (limit, mut product, mut count) = ((-rate).exp(), unit(), 0.0);
        while product > limit {
            product *= unit();
            count += 1.0;
        }
        count
    }

    #[test]
    fn poisson_intervals_contain_the_true_rate_of_rare_events() {
        for rate in [0.1, 0.3, 2.0] {
            let mut rng = Stream::Study(5).rng(3);
            let hits = (0..2000).filter(|_| {
                let counts: Vec<f64> = (0..3).map(|_| poisson(&mut rng, rate)).collect();
                let interval = poisson_interval(&counts).unwrap();
                (interval.low..=interval.high).contains(&rate)
            });
            let share = hits.count() as f64 / 2000.0;
            assert!(share >= 0.94, "{rate} events a window: {share}");
        }
    }
}
