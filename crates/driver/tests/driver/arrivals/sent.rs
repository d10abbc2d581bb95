//! Arrivals as requests left for real servers.

use std::time::Duration;

use logtrace_driver::{
    ArrivalTimes, Arrivals, CancellationToken, DriveConfig, DriveResult, EndReason, Pace, Schedule,
    ScheduleStep,
};
use logtrace_events::Request;

use super::kolmogorov::{REJECTED, distance, gaps};
use crate::common::drives::{config, drive_and_observe, loaded, uniform};
use crate::common::server::{FLAVORS, Server};
use logtrace_testkit::{alone, beside_others, one_or_all};

const RATE_PER_S: f64 = 1000.0;
const MEAN_NS: f64 = 1e9 / RATE_PER_S;

/// Requests leave one after the other, and each takes the thread's time: where other programs take the CPU too, gaps are
/// exact to this.
const RESOLUTION_NS: f64 = 50_000.0;

/// A machine on which hardly any request was later than this was calm: the gaps pass the test as they are.
const CALM_P99_NS: u64 = 1_000_000;

/// Most rounds: the first calm one counts, else the calmest. Other programs may take the CPU at any time.
const ROUNDS: usize = 4;

fn selects(server: &Server, pace: Pace, seconds: u64) -> DriveConfig {
    let duration = Duration::from_secs(seconds);
    config(server.target("logtrace"), "point_select", pace, duration)
}

fn drive(config: &DriveConfig) -> (DriveResult, Vec<Request>) {
    let (measured, mut requests) = drive_and_observe(config, CancellationToken::new()).unwrap();
    assert_eq!(measured.ended, EndReason::Completed);
    requests.sort_unstable_by_key(|request| request.sent_ns);
    (measured, requests)
}

/// Due times from the start of the window.
fn offsets(measured: &DriveResult, requests: &[Request]) -> Vec<u64> {
    let mut due: Vec<u64> = requests
        .iter()
        .map(|request| request.due_ns - measured.window.start_ns)
        .collect();
    due.sort_unstable();
    due
}

fn sent_gaps(requests: &[Request]) -> Vec<f64> {
    let sent: Vec<u64> = requests.iter().map(|request| request.sent_ns).collect();
    gaps(&sent)
}

#[test]
fn poisson_gaps_are_exponential_when_requests_are_sent() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let server = loaded(flavor);
        let poisson = Pace::Open {
            rate_per_s: RATE_PER_S,
            arrivals: Arrivals::Poisson,
        };
        let config = DriveConfig {
            spin: true,
            ..selects(&server, poisson, 4)
        };
        let p99_ns = |(measured, _): &(DriveResult, _)| measured.lag.value_at_quantile(0.99);
        let mut rounds = Vec::new();
        while rounds.len() < ROUNDS && rounds.last().is_none_or(|last| p99_ns(last) > CALM_P99_NS) {
            rounds.push(drive(&config));
        }
        rounds.sort_by_key(p99_ns);
        let (measured, requests) = &rounds[0];
        let sent = sent_gaps(requests);
        let within = distance(&sent, MEAN_NS, RESOLUTION_NS);
        let lag = |quantile| measured.lag.value_at_quantile(quantile);
        let plain = distance(&sent, MEAN_NS, 0.0);
        println!(
            "{flavor:?}: {} gaps, distance {plain:.2}, {within:.2} with a resolution; lag {} ns, p90 {}, p99 {}",
            sent.len(),
            lag(0.5),
            lag(0.9),
            lag(0.99)
        );
        let due = gaps(&offsets(measured, requests));
        assert!(distance(&due, MEAN_NS, 0.0) < REJECTED, "as they were drawn");
        // What this machine delayed more often than a test can bear shows in the lag, and is said there.
        let is_calm = lag(0.9) as f64 <= 3.0 * RESOLUTION_NS;
        assert!(!is_calm || within < REJECTED, "{flavor:?}: {within}");
        assert!(lag(0.99) > CALM_P99_NS || plain < REJECTED, "{flavor:?}: {plain}");
        let ticks: Vec<f64> = due.iter().map(|gap| (gap / 1e6).ceil() * 1e6).collect();
        assert!(
            distance(&ticks, MEAN_NS, RESOLUTION_NS) > REJECTED,
            "a timer of whole milliseconds would be found out"
        );
    }
}

#[test]
fn a_uniform_rate_is_sent_to_a_thousandth() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let (measured, requests) = drive(&selects(&loaded(flavor), uniform(RATE_PER_S), 10));
        assert_eq!(requests.len(), 10_000);
        let length_ns = requests[9_999].sent_ns - requests[0].sent_ns;
        let off_ns = length_ns.abs_diff(9_999_000_000);
        let longest_lag_ns = measured.lag.max();
        println!(
            "{flavor:?}: off by {off_ns} ns in 10 s, longest lag {longest_lag_ns} ns, achieved {}",
            measured.achieved_per_s
        );
        // The last one may be as late as any: then that is what is off, and the lag says so.
        assert!(
            off_ns <= 10_000_000.max(longest_lag_ns),
            "{flavor:?}: {off_ns} ns"
        );
        let is_calm = longest_lag_ns < 10_000_000;
        assert!(
            !is_calm || measured.achieved_per_s >= 0.999 * RATE_PER_S,
            "{flavor:?}: {}",
            measured.achieved_per_s
        );
    }
}

/// A ramp, a pause and a burst: 300, 0 and 100 requests.
fn changing() -> Schedule {
    let step =
        |milliseconds, from, to| ScheduleStep::new(Duration::from_millis(milliseconds), from, to).unwrap();
    let steps = vec![
        step(1000, 100.0, 500.0),
        step(500, 0.0, 0.0),
        step(100, 1000.0, 1000.0),
    ];
    Schedule::new("changing".into(), steps).unwrap()
}

#[test]
fn a_schedule_is_kept_and_its_arrivals_can_be_replayed() {
    let _turn = beside_others();
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let scheduled = |arrivals| Pace::Scheduled {
            schedule: changing(),
            arrivals,
        };
        // The window is longer than the schedule: nothing is due in its last 400 ms.
        let (measured, requests) = drive(&selects(&server, scheduled(Arrivals::Uniform), 2));
        assert_eq!((measured.requests, measured.offered_per_s), (400, Some(200.0)));
        let due = offsets(&measured, &requests);
        let in_ramp = due.iter().filter(|&&at| at < 1_000_000_000).count();
        let in_pause = due
            .iter()
            .filter(|&&at| (1_000_000_000..1_500_000_000).contains(&at))
            .count();
        assert_eq!((in_ramp, in_pause), (300, 0));

        let (measured, requests) = drive(&selects(&server, scheduled(Arrivals::Poisson), 2));
        let due = offsets(&measured, &requests);
        let mut text = Vec::new();
        ArrivalTimes::write(&mut text, due.iter().copied(), 2_000_000_000).unwrap();
        let times = ArrivalTimes::read("recorded", std::str::from_utf8(&text).unwrap()).unwrap();
        let (replayed, requests) = drive(&selects(&server, Pace::Replayed(times), 2));
        assert_eq!(
            offsets(&replayed, &requests),
            due,
            "{flavor:?}: the same to the nanosecond"
        );
        assert_eq!(replayed.offered_per_s, Some(due.len() as f64 / 2.0));
    }
}
