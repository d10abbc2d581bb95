//! Arrival processes: due times of requests.

use std::sync::Arc;

use logtrace_common::UnknownName;
use logtrace_common::random::{Stream, Xoshiro256PlusPlus, unit};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::schedule::rate_integral::RateIntegral;
use crate::schedule::replay_file::ArrivalTimes;
use crate::schedule::{Schedule, ScheduleStep};

/// Distribution of due times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_arrivals)]
pub enum Arrivals {
    /// Equal gaps.
    Uniform,
    /// Independent users: exponentially distributed gaps.
    Poisson,
}

impl Arrivals {
    /// Returns endless due times in nanoseconds from the start, in order. The same seed gives the same times; uniform
    /// arrivals ignore it. `rate_per_s` must be above 0 and finite, which [`crate::schedule::rate::Rate`] ensures.
    pub fn offsets_ns(self, rate_per_s: f64, seed: u64) -> Offsets {
        self.along(Arc::new([ScheduleStep::endless(rate_per_s)]), seed)
    }

    /// Returns due times along a schedule, up to its end. Where the rate rises or falls, gaps follow the rate at each
    /// moment.
    pub fn scheduled_ns(self, schedule: &Schedule, seed: u64) -> Offsets {
        self.along(schedule.steps(), seed)
    }

    fn along(self, steps: Arc<[ScheduleStep]>, seed: u64) -> Offsets {
        Offsets(Origin::Computed {
            gaps: (self == Self::Poisson).then(|| Stream::Arrivals.rng(seed)),
            requests: 0.0,
            integral: RateIntegral::new(steps),
        })
    }
}

fn unknown_arrivals(text: &str) -> UnknownName {
    UnknownName::new("arrivals", text, Arrivals::VARIANTS)
}

/// Iterator over due times in nanoseconds from the start; see [`Arrivals::offsets_ns`].
#[derive(Clone, Debug)]
pub struct Offsets(Origin);

#[derive(Clone, Debug)]
enum Origin {
    Computed {
        /// Random numbers for gaps of a Poisson process; `None` for equal gaps.
        gaps: Option<Xoshiro256PlusPlus>,
        /// Expected number of requests up to the last due time: the sum of the gaps so far, in units of the mean gap.
        requests: f64,
        /// Conversion of this number into time, so the rate enters once.
        integral: RateIntegral,
    },
    Recorded {
        times: Arc<[u64]>,
        next: usize,
    },
}

impl Offsets {
    pub(crate) fn recorded(times: &ArrivalTimes) -> Self {
        Self(Origin::Recorded {
            times: times.offsets_ns(),
            next: 0,
        })
    }
}

impl Iterator for Offsets {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match &mut self.0 {
            Origin::Computed {
                gaps: None,
                requests,
                integral,
            } => {
                let due_ns = integral.due_ns(*requests);
                *requests += 1.0;
                due_ns
            }
            Origin::Computed {
                gaps: Some(rng),
                requests,
                integral,
            } => {
                // libm's logarithm gives the same bits on every machine; 1 - u is never 0.
                *requests -= libm::log(1.0 - unit(rng));
                integral.due_ns(*requests)
            }
            Origin::Recorded { times, next } => {
                let offset_ns = times.get(*next).copied();
                *next += 1;
                offset_ns
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use strum::IntoEnumIterator;

    use super::*;
    use crate::util::clock::NS_PER_S;

    fn until(arrivals: Arrivals, rate: f64, seed: u64, end_ns: u64) -> Vec<u64> {
        arrivals
            .offsets_ns(rate, seed)
            .take_while(|&at| at < end_ns)
            .collect()
    }

    #[test]
    fn a_uniform_rate_has_no_drift() {
        // 3/s has no whole period in ns; a truncated one would be 10 days * 3 * (1/3 ns) early at the end.
        let (rate, seconds) = (3.0, 864_000);
        let number = 3 * seconds;
        let at = Arrivals::Uniform.offsets_ns(rate, 0).nth(number).unwrap();
        assert_eq!(at, seconds as u64 * NS_PER_S);
    }

    #[test]
    fn a_seed_means_the_same_poisson_arrivals_for_ever() {
        let first: Vec<u64> = Arrivals::Poisson.offsets_ns(1000.0, 1).take(4).collect();
        assert_eq!(first, [1_494_188, 2_737_914, 3_898_511, 3_976_993]);
    }

    #[test]
    fn poisson_gaps_are_exponential() {
        let count = 200_000;
        let at: Vec<u64> = Arrivals::Poisson.offsets_ns(1000.0, 7).take(count).collect();
        let gaps: Vec<f64> = at
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64 / 1e6)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        let longer_than_mean = gaps.iter().filter(|&&gap| gap > 1.0).count() as f64 / gaps.len() as f64;
        // Five standard errors of each: 1/sqrt(n), sqrt(8/n) and sqrt(p(1-p)/n).
        assert!((mean - 1.0).abs() < 0.012, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.032, "variance {variance}");
        assert!(
            (longer_than_mean - (-1f64).exp()).abs() < 0.006,
            "tail {longer_than_mean}"
        );
    }

    #[test]
    fn rates_from_slow_to_fast_work() {
        assert_eq!(until(Arrivals::Uniform, 0.5, 0, 10 * NS_PER_S).len(), 5);
        assert_eq!(until(Arrivals::Uniform, 100_000.0, 0, NS_PER_S).len(), 100_000);
    }

    #[test]
    fn names_are_read_back() {
        for arrivals in Arrivals::iter() {
            assert_eq!(arrivals.to_string().parse(), Ok(arrivals));
        }
        assert!("bursts".parse::<Arrivals>().is_err());
    }

    proptest! {
        #[test]
        fn uniform_arrivals_of_whole_rates_are_rate_times_duration(rate in 1u32..20_000, seconds in 1u64..4) {
            let count = until(Arrivals::Uniform, f64::from(rate), 0, seconds * NS_PER_S).len() as u64;
            prop_assert_eq!(count, u64::from(rate) * seconds);
        }

        #[test]
        fn due_times_never_fall_and_repeat_for_a_seed(rate in 0.01f64..1e6, seed: u64) {
            for arrivals in Arrivals::iter() {
                let at: Vec<u64> = arrivals.offsets_ns(rate, seed).take(500).collect();
                prop_assert!(at.is_sorted());
                let again: Vec<u64> = arrivals.offsets_ns(rate, seed).take(500).collect();
                prop_assert_eq!(at, again);
            }
        }

        #[test]
        fn twice_the_rate_is_the_same_arrivals_in_half_the_time(seed: u64) {
            let slow = Arrivals::Poisson.offsets_ns(100.0, seed);
            let fast = Arrivals::Poisson.offsets_ns(200.0, seed);
            for (slow, fast) in slow.zip(fast).take(500) {
                prop_assert!(slow.abs_diff(2 * fast) <= 2);
            }
        }
    }
}
