//! Drawn arrivals follow their process, whatever the rate does.

use std::time::Duration;

use logtrace_driver::{Arrivals, Schedule, ScheduleStep};

use super::kolmogorov::{REJECTED, distance, gaps};
use logtrace_testkit::beside_others;

const SECONDS: u64 = 20;

fn ramp(from: f64, to: f64) -> Schedule {
    let step = ScheduleStep::new(Duration::from_secs(SECONDS), from, to).unwrap();
    Schedule::new("a".into(), vec![step]).unwrap()
}

#[test]
fn gaps_are_exponential_at_any_rate_and_are_not_when_they_are_even() {
    let _turn = beside_others();
    for rate in [0.5, 1000.0, 20_000.0] {
        let mean = 1e9 / rate;
        for seed in 0..5 {
            let poisson: Vec<u64> = Arrivals::Poisson.offsets_ns(rate, seed).take(20_000).collect();
            let distance = distance(&gaps(&poisson), mean, 0.0);
            assert!(distance < REJECTED, "{rate}/s, seed {seed}: {distance}");
        }
        let uniform: Vec<u64> = Arrivals::Uniform.offsets_ns(rate, 0).take(20_000).collect();
        assert!(distance(&gaps(&uniform), mean, 0.0) > REJECTED);
    }
}

#[test]
fn a_ramp_is_a_poisson_process_of_its_rate() {
    let _turn = beside_others();
    let at: Vec<u64> = Arrivals::Poisson.scheduled_ns(&ramp(100.0, 1900.0), 3).collect();
    assert!(
        distance(&gaps(&at), 1e6, 0.0) > REJECTED,
        "the rate is not the same all the time"
    );
    // Requests expected until a time: 100 t + 90/2 t^2 with t up to 20 s. In these, the process has a rate of 1.
    let expected = |at: u64| {
        let seconds = at as f64 / 1e9;
        100.0 * seconds + 45.0 * seconds * seconds
    };
    let rescaled: Vec<f64> = at
        .windows(2)
        .map(|pair| expected(pair[1]) - expected(pair[0]))
        .collect();
    assert!(
        distance(&rescaled, 1.0, 0.0) < REJECTED,
        "{}",
        distance(&rescaled, 1.0, 0.0)
    );
    // Five standard deviations of a Poisson count of 20,000.
    assert!(at.len().abs_diff(20_000) < 707, "{}", at.len());
}
