//! Inverse of the integral of the rate: from an expected number of requests to the time when they have fallen due.

use std::sync::Arc;

use crate::schedule::ScheduleStep;

/// Integral of a rate over time, inverted. The number of requests must not fall from call to call.
///
/// An arrival process runs in units of expected requests; inverting the integral of the rate gives due times. Gaps of 1
/// become evenly spread requests, exponential gaps a Poisson process with a varying rate (time rescaling). Times are
/// computed from the start of their step, so rounding errors do not add up.
#[derive(Clone, Debug)]
pub(crate) struct RateIntegral {
    steps: Arc<[ScheduleStep]>,
    /// Index and start of the current step.
    index: usize,
    start_ns: u64,
    /// Expected number of requests in all steps before.
    before: f64,
    last_ns: u64,
}

impl RateIntegral {
    /// Creates the integral over these steps, from their start.
    pub(crate) fn new(steps: Arc<[ScheduleStep]>) -> Self {
        Self {
            steps,
            index: 0,
            start_ns: 0,
            before: 0.0,
            last_ns: 0,
        }
    }

    /// Returns when `requests` have fallen due; `None` after the last step.
    pub(crate) fn due_ns(&mut self, requests: f64) -> Option<u64> {
        let mut step = *self.steps.get(self.index)?;
        // A request that is due at the end of a step belongs to the next step with a rate.
        while requests >= self.before + step.requests() {
            self.before += step.requests();
            self.start_ns += step.length_ns();
            self.index += 1;
            step = *self.steps.get(self.index)?;
        }
        // In a ramp, rounding may swap two nearly equal times.
        self.last_ns = self
            .last_ns
            .max(self.start_ns + step.due_ns(requests - self.before));
        Some(self.last_ns)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use strum::IntoEnumIterator;

    use super::*;
    use crate::schedule::Schedule;
    use crate::schedule::arrivals::Arrivals;
    use crate::util::clock::NS_PER_S;

    fn step(milliseconds: u64, from: f64, to: f64) -> ScheduleStep {
        ScheduleStep::new(Duration::from_millis(milliseconds), from, to).unwrap()
    }

    fn schedule(steps: Vec<ScheduleStep>) -> Schedule {
        Schedule::new("a".into(), steps).unwrap()
    }

    fn due(schedule: &Schedule, arrivals: Arrivals, seed: u64) -> Vec<u64> {
        arrivals.scheduled_ns(schedule, seed).collect()
    }

    #[test]
    fn one_step_is_the_constant_rate() {
        for arrivals in Arrivals::iter() {
            let schedule = schedule(vec![step(5000, 333.0, 333.0)]);
            let constant = arrivals.offsets_ns(333.0, 5).take_while(|&at| at < 5 * NS_PER_S);
            assert!(constant.eq(due(&schedule, arrivals, 5)));
        }
    }

    #[test]
    fn each_step_has_its_rate_and_pauses_have_none() {
        let schedule = schedule(vec![
            step(1000, 3.0, 3.0),
            step(1000, 0.0, 0.0),
            step(1000, 2.0, 2.0),
        ]);
        let at = due(&schedule, Arrivals::Uniform, 0);
        assert_eq!(at, [0, 333_333_333, 666_666_666, 2_000_000_000, 2_500_000_000]);
    }

    #[test]
    fn a_ramp_has_the_squares_times() {
        // 0 to 200/s in 1 s: 100 t^2 requests until t.
        let at = due(&schedule(vec![step(1000, 0.0, 200.0)]), Arrivals::Uniform, 0);
        assert_eq!(at.len(), 100);
        for (number, &at) in at.iter().enumerate() {
            let exact = (number as f64 / 100.0).sqrt() * 1e9;
            assert!((at as f64 - exact).abs() <= 1.0, "{number}: {at}, not {exact}");
        }
        let down = due(&schedule(vec![step(1000, 200.0, 0.0)]), Arrivals::Uniform, 0);
        assert_eq!(down.len(), 100);
        assert_eq!((down[0], down[75]), (0, 500_000_000));
    }

    #[test]
    fn repeated_bursts_do_not_drift() {
        let bursts: Vec<ScheduleStep> = (0..100_000)
            .flat_map(|_| [step(7, 0.0, 0.0), step(3, 1000.0, 1000.0)])
            .collect();
        let at = due(&schedule(bursts), Arrivals::Uniform, 0);
        assert_eq!(at.len(), 300_000);
        assert!((0..300_000).all(|n| at[n as usize] == n / 3 * 10_000_000 + 7_000_000 + n % 3 * 1_000_000));
    }

    fn steps() -> impl Strategy<Value = Vec<ScheduleStep>> {
        let rate = prop_oneof![1 => Just(0.0), 4 => 0.0f64..5000.0];
        let step = (1u64..500, rate.clone(), rate, any::<bool>())
            .prop_map(|(length, from, to, level)| step(length, from, if level { from } else { to }));
        proptest::collection::vec(step, 1..12)
    }

    /// Requests due until a time, by summing in the steps.
    fn integral(steps: &[ScheduleStep], at_ns: u64) -> f64 {
        Schedule::new("a".into(), steps.to_vec())
            .unwrap()
            .mean_per_s(Duration::from_nanos(at_ns))
            * at_ns as f64
            / 1e9
    }

    proptest! {
        #[test]
        fn uniform_arrivals_are_the_inverse_of_the_rates_integral(steps in steps()) {
            prop_assume!(steps.iter().any(|step| step.requests() > 0.0));
            let schedule = schedule(steps.clone());
            let at = due(&schedule, Arrivals::Uniform, 0);
            let whole = integral(&steps, schedule.length().as_nanos() as u64);
            prop_assert!((at.len() as f64 - whole.ceil()).abs() <= 1.0);
            prop_assert!(at.is_sorted() && at.last().is_none_or(|&last| u128::from(last) < schedule.length().as_nanos()));
            for (number, &at) in at.iter().enumerate() {
                // A nanosecond at 5,000/s is 5e-6 requests.
                prop_assert!((integral(&steps, at) - number as f64).abs() < 1e-4, "{number} at {at}");
            }
        }

        #[test]
        fn poisson_arrivals_never_fall_and_repeat_for_a_seed(steps in steps(), seed: u64) {
            prop_assume!(steps.iter().any(|step| step.requests() > 0.0));
            let schedule = schedule(steps);
            let at = due(&schedule, Arrivals::Poisson, seed);
            prop_assert!(at.is_sorted());
            prop_assert_eq!(at, due(&schedule, Arrivals::Poisson, seed));
        }
    }
}
