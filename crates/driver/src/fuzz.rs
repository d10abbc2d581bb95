//! Files and options of users that were damaged: they are read, or refused with a message.

use std::time::Duration;

use logtrace_testkit::fuzz::{config, damaged_text};
use proptest::prelude::*;

use crate::{ArrivalTimes, Arrivals, CustomWorkload, Keys, Pace, Rate, RateArg, RateRange, Schedule};

const SCHEDULES: [&str; 3] = [
    "10s 100..5000\n800ms 100\n200ms 5000\nrepeat 20\n",
    "# steps\n1s 5/s\nrepeat 2\n500ms 0..1\nrepeat 3\n",
    "1h 1000000\n",
];

const REPLAYS: [&str; 2] = ["# due times\n0\n5\n5\n1000000\nend 2000000\n", "7\n"];

const OPTIONS: [&str; 12] = [
    "500/s",
    "max",
    "70%",
    "10..500/s",
    "1.5",
    "uniform",
    "gaussian",
    "pareto",
    "zipfian:0.8",
    "special",
    "100/s..2000/s",
    "1e3",
];

/// Workload with generators of several kinds.
const TRANSFER: &str = include_str!("../../../workloads/transfer.toml");

/// Due times to draw of a schedule: enough to cross its first steps.
const DRAWN: usize = 200;

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit_ns) = match text.strip_suffix("ms") {
        Some(number) => (number, 1_000_000),
        None => (text.strip_suffix('s').ok_or("no unit")?, 1_000_000_000),
    };
    let number: u64 = number.parse().map_err(|_| "no number")?;
    number
        .checked_mul(unit_ns)
        .map(Duration::from_nanos)
        .ok_or("too long".into())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn a_schedule_is_drawn_or_refused(text in damaged_text(SCHEDULES), seed in any::<u64>()) {
        if let Ok(schedule) = Schedule::read("a", &text, duration) {
            for arrivals in [Arrivals::Poisson, Arrivals::Uniform] {
                let due: Vec<u64> = arrivals.scheduled_ns(&schedule, seed).take(DRAWN).collect();
                prop_assert!(due.is_sorted(), "{due:?}");
            }
            let _ = schedule.mean_per_s(schedule.length());
            let _ = schedule.mean_per_s(Duration::from_secs(1));
        }
    }

    #[test]
    fn recorded_times_are_replayed_or_refused(text in damaged_text(REPLAYS)) {
        if let Ok(times) = ArrivalTimes::read("a", &text) {
            prop_assert!(times.offsets_ns().is_sorted());
            let _ = times.mean_per_s(times.length());
            let pace = Pace::Replayed(times);
            prop_assert!(pace.offsets_ns(1).is_some_and(|mut offsets| offsets.next().is_some()));
        }
    }

    #[test]
    fn options_are_read_or_refused(text in damaged_text(OPTIONS)) {
        let _ = text.parse::<Rate>();
        let _ = text.parse::<RateArg>();
        let _ = text.parse::<RateRange>();
        let _ = text.parse::<Keys>();
    }

    #[test]
    fn a_workload_is_read_or_refused(text in damaged_text([TRANSFER])) {
        if let Err(error) = CustomWorkload::read("a.toml", &text) {
            prop_assert!(error.to_string().starts_with("a.toml"), "{error}");
        }
    }
}
