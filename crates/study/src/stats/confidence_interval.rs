//! One number from the repeats of a cell, and how far it may be off.

use logtrace_driver::random::{Rng, below};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::plan::table_spec::Statistic;
use crate::stats::descriptive::{mean, median};

/// The share of intervals that have the true value in them.
pub(crate) const CONFIDENCE: f64 = 0.95;
/// The standard normal distribution has this share within so many standard deviations.
const NORMAL: f64 = 1.959_964;
const RESAMPLES: usize = 2000;

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Statistic {
    /// Of values; `None` of none.
    pub(crate) fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Self::Median => median(values),
            Self::Mean => mean(values),
        }
    }
}

/// Where the true statistic is, by the bootstrap: repeats are drawn with replacement.
///
/// With few repeats that interval is too short. It is expanded as a t interval is over a normal one (Hesterberg, What
/// teachers should know about the bootstrap, 2015), and is never shorter than what the errors inside the windows come to;
/// these alone make it where there is one repeat.
pub(crate) fn interval(
    values: &[f64],
    errors: &[Option<f64>],
    statistic: Statistic,
    rng: &mut impl Rng,
) -> Option<Interval> {
    let at = statistic.of(values)?;
    let count = values.len() as f64;
    let errors: Option<f64> = errors.iter().map(|error| error.map(|error| error * error)).sum();
    let inside = errors.map(|squares| NORMAL * squares.sqrt() / count);
    if values.len() < 2 {
        return inside.map(|half| around(at, half, half));
    }
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let draw = |_| values[below(rng, values.len() as u64) as usize];
            let drawn: Vec<f64> = (0..values.len()).map(draw).collect();
            statistic.of(&drawn)
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    let tail = RESAMPLES / 40;
    let expand = (count / (count - 1.0)).sqrt() * student(count - 1.0) / NORMAL;
    let (low, high) = (at - resampled[tail], resampled[RESAMPLES - 1 - tail] - at);
    let inside = inside.unwrap_or(0.0);
    Some(around(
        at,
        (expand * low).max(inside),
        (expand * high).max(inside),
    ))
}

fn around(at: f64, below: f64, above: f64) -> Interval {
    Interval {
        low: at - below,
        high: at + above,
    }
}

/// How many standard errors an interval has to each side.
pub(crate) fn student(freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom);
    distribution.map_or(f64::INFINITY, |student| {
        student.inverse_cdf((1.0 + CONFIDENCE) / 2.0)
    })
}

/// How likely chance alone is so many standard errors away or further.
pub(crate) fn chance(errors: f64, freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom);
    distribution.map_or(1.0, |student| 2.0 * student.sf(errors.abs()))
}

#[cfg(test)]
mod tests {
    use logtrace_driver::random::Stream;
    use proptest::prelude::*;

    use super::*;
    use crate::stats::descriptive::tests::normal;

    #[test]
    fn intervals_have_the_true_value_about_as_often_as_they_say() {
        for (repeats, statistic) in [
            (3, Statistic::Mean),
            (3, Statistic::Median),
            (8, Statistic::Median),
        ] {
            let mut rng = Stream::Study(4).rng(11);
            let hit = (0..400).filter(|_| {
                let values: Vec<f64> = (0..repeats).map(|_| normal(&mut rng)).collect();
                let interval = interval(&values, &[], statistic, &mut rng).unwrap();
                (interval.low..=interval.high).contains(&0.0)
            });
            let hit = hit.count() as f64 / 400.0;
            assert!(hit > 0.88, "{repeats} {statistic:?}: {hit}");
        }
    }

    #[test]
    fn one_repeat_has_the_error_inside_its_window_or_none() {
        let mut rng = Stream::Study(4).rng(1);
        let one = |error, rng: &mut _| interval(&[10.0], &[error], Statistic::Median, rng);
        assert_eq!(one(None, &mut rng), None);
        let interval = one(Some(1.0), &mut rng).unwrap();
        assert!((interval.low - 8.04).abs() < 0.01 && (interval.high - 11.96).abs() < 0.01);
    }

    #[test]
    fn students_distribution_has_its_known_quantiles() {
        assert!((student(2.0) - 4.303).abs() < 0.001);
        assert!((chance(4.303, 2.0) - 0.05).abs() < 0.0001);
    }

    proptest! {
        #[test]
        fn the_statistic_is_in_its_interval(values in proptest::collection::vec(0.0f64..1e6, 2..8), seed: u64) {
            for statistic in [Statistic::Median, Statistic::Mean] {
                let at = statistic.of(&values).unwrap();
                let interval = interval(&values, &[], statistic, &mut Stream::Study(0).rng(seed)).unwrap();
                prop_assert!(interval.low <= at + 1e-6 && at - 1e-6 <= interval.high);
            }
        }
    }
}
