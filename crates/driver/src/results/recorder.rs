//! Counts and histograms of finished requests.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use logtrace_common::{TimeRange, stall_bucket};
use logtrace_events::{Outcome, Request};

use crate::results::first_failure::FirstFailures;
use crate::results::lag_parts::{LATE_NS, LagParts};
use crate::results::latencies::Latencies;
use crate::results::over_time::RequestsOverTime;
use crate::results::per_type::Kind;
use crate::results::rate_step::RateStep;
use crate::util::new_histogram;

/// Error code that counts requests with a lost connection: `CR_SERVER_LOST`, "Lost connection to MySQL server during
/// query".
pub const DISCONNECTED: u16 = 2013;

/// Error code that counts requests not done by their deadline. No server or client uses it.
pub const TIMED_OUT: u16 = u16::MAX;

/// Recorder of the finished requests of a window.
///
/// No allocation a request, but where a histogram grows to a value longer than any before, as time goes on, and where a
/// column of time has a duration that it did not have before.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Latencies since the last [`Recorder::next_interval`].
    pub(crate) interval: Latencies,
    /// Latencies of all ended intervals.
    pub(crate) total: Latencies,
    /// Number of requests done.
    pub(crate) done: u64,
    /// Number of requests done that were sent before the end of the window.
    pub(crate) done_in_time: u64,
    /// Number of failed requests by the server's error code, or [`DISCONNECTED`] or [`TIMED_OUT`].
    pub(crate) errors: BTreeMap<u16, u64>,
    /// First failure with each of these codes.
    pub(crate) failures: FirstFailures,
    /// Number of repeated attempts by the server's error code.
    pub(crate) retries: BTreeMap<u16, u64>,
    /// Number of requests sent more than [`LATE_NS`] after they were due, including failed ones.
    pub(crate) late: u64,
    /// Number of requests done in each second.
    pub(crate) per_second: Vec<u64>,
    /// Number of requests done in each tenth of a second from the start of the window.
    pub(crate) per_tenth: Vec<u64>,
    /// Requests by time.
    pub(crate) over_time: RequestsOverTime,
    window_start_ns: u64,
    /// End of the window. Requests sent later are not in time.
    pub(crate) window_end_ns: u64,
    /// Results per request type; empty if there is only one.
    pub(crate) kinds: Vec<Kind>,
    /// Parts of the lag.
    pub(crate) lag_parts: LagParts,
    /// Time from due to the end of every request: its answer, its failure, or the end of waiting for it.
    pub(crate) with_failed: Histogram<u64>,
    /// Results per step of the rate; empty if it does not change in steps.
    pub(crate) steps: Vec<RateStep>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// Creates an empty recorder.
    pub fn new() -> Self {
        Self::of_window(
            TimeRange {
                start_ns: 0,
                end_ns: u64::MAX,
            },
            0,
        )
    }

    /// Creates a recorder of a window, for a workload with this number of request types.
    pub(crate) fn of_window(window: TimeRange, kinds: usize) -> Self {
        Self {
            interval: Latencies::new(),
            total: Latencies::new(),
            done: 0,
            done_in_time: 0,
            errors: BTreeMap::new(),
            failures: FirstFailures::default(),
            retries: BTreeMap::new(),
            late: 0,
            per_second: Vec::new(),
            per_tenth: Vec::new(),
            over_time: RequestsOverTime::new(window.start_ns),
            window_start_ns: window.start_ns,
            window_end_ns: window.end_ns,
            kinds: vec![Kind::default(); kinds],
            lag_parts: LagParts::default(),
            with_failed: new_histogram(),
            steps: Vec::new(),
        }
    }

    /// Records one finished request.
    pub fn record(&mut self, request: &Request) {
        self.late += u64::from(request.lag_ns() > LATE_NS);
        self.lag_parts.count_late(request);
        self.with_failed += request.response_ns();
        self.over_time.record(request);
        if let Some(step) = RateStep::at(&mut self.steps, request.due_ns) {
            step.record(request);
        }
        match request.outcome {
            Outcome::Done => {
                self.done += 1;
                self.done_in_time += u64::from(request.sent_ns < self.window_end_ns);
                self.interval.record(request);
                self.lag_parts.record(request);
                self.count_tenth(request.done_ns);
            }
            Outcome::ServerError(code) => count(&mut self.errors, code),
            Outcome::Disconnected => count(&mut self.errors, DISCONNECTED),
            Outcome::TimedOut => count(&mut self.errors, TIMED_OUT),
        }
    }

    /// Records one finished request, with its type if the workload has several.
    pub(crate) fn record_kind(&mut self, request: &Request, kind: Option<usize>, rolled_back: bool) {
        self.record(request);
        if let Some(kind) = kind.and_then(|kind| self.kinds.get_mut(kind)) {
            kind.record(request, rolled_back, self.window_end_ns);
        }
    }

    /// Records a request that was due at `due_ns` and has no answer at `until_ns`, when nobody waits for it any longer.
    pub(crate) fn record_open(&mut self, due_ns: u64, until_ns: u64) {
        self.with_failed += until_ns.saturating_sub(due_ns);
        self.over_time.record_due(due_ns);
        if let Some(step) = RateStep::at(&mut self.steps, due_ns) {
            step.requests += 1;
        }
    }

    /// Records the wait for a free connection of a request that was not sent.
    pub(crate) fn record_backlog(&mut self, wait: TimeRange) {
        self.over_time.record_backlog(wait);
    }

    /// Adds the ended intervals of another recorder of the same window. Its rate does not change: it is a part of a closed
    /// loop.
    pub(crate) fn add(&mut self, other: &Self) {
        self.total.add(&other.total);
        self.done += other.done;
        self.done_in_time += other.done_in_time;
        self.late += other.late;
        self.lag_parts.add(&other.lag_parts);
        self.with_failed += &other.with_failed;
        add_counts(&mut self.errors, &other.errors);
        add_counts(&mut self.retries, &other.retries);
        self.failures.add(&other.failures);
        add_each(&mut self.per_second, &other.per_second);
        add_each(&mut self.per_tenth, &other.per_tenth);
        self.over_time.add(&other.over_time);
        self.kinds
            .iter_mut()
            .zip(&other.kinds)
            .for_each(|(kind, other)| kind.add(other));
    }

    /// Records an attempt that failed with this code and is repeated.
    pub fn record_retry(&mut self, code: u16) {
        count(&mut self.retries, code);
    }

    /// Ends an interval of one second and adds it to the total. Returns the number of requests done in it.
    pub fn next_interval(&mut self) -> u64 {
        let done = self.interval.service.len();
        self.per_second.push(done);
        self.total.add(&self.interval);
        self.interval.clear();
        done
    }

    fn count_tenth(&mut self, done_ns: u64) {
        let number = stall_bucket(self.window_start_ns, done_ns);
        if self.per_tenth.len() <= number {
            self.per_tenth.resize(number + 1, 0);
        }
        self.per_tenth[number] += 1;
    }
}

/// Adds counts element by element.
fn add_each(sums: &mut Vec<u64>, counts: &[u64]) {
    sums.resize(sums.len().max(counts.len()), 0);
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// Adds counts by error code.
fn add_counts(sums: &mut BTreeMap<u16, u64>, counts: &BTreeMap<u16, u64>) {
    for (&code, count) in counts {
        *sums.entry(code).or_default() += count;
    }
}

fn count(counts: &mut BTreeMap<u16, u64>, code: u16) {
    *counts.entry(code).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn requests() -> impl Strategy<Value = Request> {
        let outcome = prop_oneof![
            4 => Just(Outcome::Done),
            1 => (1000u16..1010).prop_map(Outcome::ServerError),
            1 => Just(Outcome::Disconnected),
            1 => Just(Outcome::TimedOut),
        ];
        (0u64..1 << 40, 0u64..1 << 36, 0u64..1 << 36, outcome).prop_map(|(due_ns, lag, service, outcome)| {
            Request {
                due_ns,
                connection_wait_ns: lag / 3,
                sent_ns: due_ns + lag,
                attempt_ns: due_ns + lag,
                done_ns: due_ns + lag + service,
                outcome,
                retries: 0,
                thread: None,
            }
        })
    }

    #[test]
    fn the_longest_value_is_kept_and_not_cut_off() {
        let mut recorder = Recorder::new();
        let hour_ns = 3_600_000_000_000;
        recorder.record(&Request {
            due_ns: 0,
            connection_wait_ns: 0,
            sent_ns: 0,
            attempt_ns: 0,
            done_ns: hour_ns,
            outcome: Outcome::Done,
            retries: 0,
            thread: None,
        });
        recorder.next_interval();
        let latencies = recorder.total;
        assert!(latencies.response.max() >= hour_ns);
        assert!(latencies.response.equivalent(latencies.response.max(), hour_ns));
    }

    #[test]
    fn attempts_that_failed_are_timed_apart_where_there_were_some() {
        let mut recorder = Recorder::new();
        for (retries, attempt_ns) in [(0, 10), (2, 40)] {
            recorder.record(&Request {
                due_ns: 0,
                connection_wait_ns: 0,
                sent_ns: 10,
                attempt_ns,
                done_ns: 50,
                outcome: Outcome::Done,
                retries,
                thread: None,
            });
        }
        recorder.next_interval();
        let latencies = recorder.total;
        assert_eq!((latencies.retrying.len(), latencies.retrying.max()), (1, 30));
        assert_eq!((latencies.service.len(), latencies.service.min()), (2, 40));
    }

    #[test]
    fn requests_without_an_answer_count_with_the_time_so_far() {
        let mut recorder = Recorder::new();
        for outcome in [Outcome::Done, Outcome::TimedOut] {
            recorder.record(&Request {
                due_ns: 0,
                connection_wait_ns: 4,
                sent_ns: 10,
                attempt_ns: 10,
                done_ns: 50,
                outcome,
                retries: 0,
                thread: None,
            });
        }
        recorder.record_open(20, 100);
        recorder.next_interval();
        assert_eq!((recorder.with_failed.len(), recorder.with_failed.max()), (3, 80));
        assert_eq!(recorder.total.response.len(), 1);
        let LagParts {
            pacer, connection, ..
        } = recorder.lag_parts;
        assert_eq!((pacer.max(), connection.max()), (6, 4));
    }

    #[test]
    fn late_is_more_than_a_millisecond() {
        let mut recorder = Recorder::new();
        for lag in [0, LATE_NS, LATE_NS + 1] {
            recorder.record(&Request {
                due_ns: 5,
                connection_wait_ns: 0,
                sent_ns: 5 + lag,
                attempt_ns: 5 + lag,
                done_ns: 6 + lag,
                outcome: Outcome::ServerError(1062),
                retries: 0,
                thread: None,
            });
        }
        assert_eq!(recorder.late, 1);
        assert_eq!(recorder.errors, BTreeMap::from([(1062, 3)]));
    }

    proptest! {
        #[test]
        fn every_request_is_counted_once(
            requests in proptest::collection::vec(requests(), 0..200),
            seconds in 1usize..5,
            end_ns in 0u64..1 << 40,
        ) {
            let mut recorder = Recorder::new();
            recorder.window_end_ns = end_ns;
            let a_second = requests.len().div_ceil(seconds).max(1);
            for second in requests.chunks(a_second) {
                second.iter().for_each(|request| recorder.record(request));
                recorder.next_interval();
            }
            prop_assert_eq!(recorder.per_tenth.iter().sum::<u64>(), recorder.done);
            let RequestsOverTime { lag, service, response, due, backlog } = &recorder.over_time;
            prop_assert_eq!(due.sums().map(|(_, count)| count).sum::<u64>(), requests.len() as u64);
            let waits_ns = requests.iter().map(|request| request.connection_wait_ns).sum::<u64>();
            prop_assert_eq!(backlog.times().iter().map(|&(_, ns)| ns).sum::<u64>(), waits_ns);
            for map in [lag, service, response] {
                prop_assert_eq!(map.counts().values().sum::<u64>(), recorder.done);
            }
            let Recorder { total: latencies, done: done_count, done_in_time, errors, per_second, with_failed, lag_parts, .. } = recorder;
            let done: Vec<&Request> = requests.iter().filter(|r| r.outcome == Outcome::Done).collect();
            prop_assert_eq!(done_count, done.len() as u64);
            prop_assert_eq!(done_count + errors.values().sum::<u64>(), requests.len() as u64);
            prop_assert_eq!(per_second.iter().sum::<u64>(), done_count);
            for (_, histogram) in latencies.named() {
                prop_assert_eq!(histogram.len(), done_count);
            }
            prop_assert_eq!(with_failed.len(), requests.len() as u64);
            prop_assert_eq!(lag_parts.pacer.len(), done_count);
            let in_time = done.iter().filter(|request| request.sent_ns < end_ns).count() as u64;
            prop_assert_eq!(done_in_time, in_time);
            let longest = done.iter().map(|request| request.response_ns()).max().unwrap_or(0);
            prop_assert!(latencies.response.equivalent(latencies.response.max(), longest));
        }
    }
}
