use logtrace_common::TimeRange;
use logtrace_events::{Outcome, Request};
use proptest::prelude::*;

use super::times::difference;
use super::{ClockError, ClockMatch, VisitTimes, match_clocks};

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;
const START_NS: u64 = 5_000 * MS;
const WINDOW: TimeRange = TimeRange {
    start_ns: START_NS,
    end_ns: START_NS + 6_000 * MS,
};

/// Load and server of a drawn run.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    seed: u64,
    connections: u32,
    /// Mean time between an answer and the next request of a connection.
    pause_ns: u64,
    /// Statements of a request.
    statements: u32,
    has_commits: bool,
    /// Server's clock minus the client's at the start of the window.
    offset_ns: i64,
    drift: f64,
}

/// Random numbers that are good enough to draw times.
struct Numbers(u64);

impl Numbers {
    /// Returns a random time: at least half of the mean, rarely very long.
    fn around(&mut self, mean_ns: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let uniform = ((self.0 >> 33) as f64 + 1.0) / (1u64 << 31) as f64;
        (mean_ns as f64 * (0.5 - 0.5 * uniform.min(1.0).ln())) as u64
    }
}

impl Drawn {
    fn offset_at(&self, client_ns: u64) -> i64 {
        self.offset_ns + (difference(client_ns, START_NS) as f64 * self.drift) as i64
    }

    fn server(&self, client_ns: u64) -> u64 {
        client_ns.checked_add_signed(self.offset_at(client_ns)).unwrap()
    }

    /// Draws the requests of the window. The trace has the visits of a second before and after it too.
    fn run(&self) -> (Vec<Request>, VisitTimes) {
        let threads: Vec<Request> = (1..=self.connections)
            .map(|thread| request(thread, 0, 0))
            .collect();
        let (mut requests, mut visits) = (Vec::new(), VisitTimes::of_threads(&threads));
        let mut numbers = Numbers(self.seed);
        for thread in 1..=self.connections {
            let mut at_ns = START_NS - 1_000 * MS;
            while at_ns < WINDOW.end_ns + 1_000 * MS {
                let sent_ns = at_ns + numbers.around(self.pause_ns);
                at_ns = sent_ns;
                // A few requests arrive while their thread still works.
                let has_wake_up = !self.has_commits || numbers.around(100) < 120;
                for _ in 0..self.statements {
                    at_ns += numbers.around(30 * US);
                    if has_wake_up {
                        visits.begin(thread, self.server(at_ns));
                    }
                    at_ns += numbers.around(80 * US);
                    if self.has_commits {
                        let commit_ns = numbers.around(400 * US);
                        visits.commit(
                            thread,
                            TimeRange::new(self.server(at_ns), self.server(at_ns + commit_ns)),
                        );
                        at_ns += commit_ns;
                    }
                    at_ns += numbers.around(40 * US);
                }
                if WINDOW.contains(sent_ns) {
                    requests.push(request(thread, sent_ns, at_ns));
                }
            }
        }
        (requests, visits)
    }
}

fn request(thread: u32, sent_ns: u64, done_ns: u64) -> Request {
    Request {
        due_ns: sent_ns,
        connection_wait_ns: 0,
        sent_ns,
        attempt_ns: sent_ns,
        done_ns,
        outcome: Outcome::Done,
        retries: 0,
        thread: Some(thread),
    }
}

fn largest_error(drawn: &Drawn, found: &ClockMatch) -> u64 {
    let times = (0..=6u64).map(|second| START_NS + second * 1_000 * MS);
    let errors = times.map(|at_ns| (found.line.offset_at(at_ns) - drawn.offset_at(at_ns)).unsigned_abs());
    errors.max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_offset_is_found_within_the_stated_error(
        seed: u64,
        connections in 1u32..12,
        pause_us in prop_oneof![20u64..100, 2_000u64..40_000],
        statements in 1u32..4,
        has_commits: bool,
        offset_ns in -4_000_000_000i64..2_000_000_000_000,
        drift in prop_oneof![Just(0.0), -1e-4..1e-4],
        guess_error_ns in -2_000_000i64..2_000_000,
    ) {
        let drawn = Drawn {
            seed, connections, pause_ns: pause_us * US, statements, has_commits, offset_ns, drift,
        };
        let (requests, visits) = drawn.run();
        let found = match match_clocks(&requests, &visits, WINDOW, offset_ns + guess_error_ns) {
            // Without a pause, requests look like those before and after them: a match may be refused.
            Err(ClockError::NoAgreement { .. }) if pause_us < 100 => return Ok(()),
            found => found.unwrap(),
        };
        prop_assert!(found.matched as f64 >= 0.99 * requests.len() as f64, "{:?} of {}", found, requests.len());
        let error_ns = largest_error(&drawn, &found);
        // A nanosecond for what is rounded.
        prop_assert!(error_ns <= found.error_ns + 2, "{error_ns} in {found:?}");
        prop_assert!(found.error_ns < 400 * US, "{found:?}");
    }
}

const PLAIN: Drawn = Drawn {
    seed: 1,
    connections: 4,
    pause_ns: 5 * MS,
    statements: 1,
    has_commits: true,
    offset_ns: 1_000_000_000_000,
    drift: 1e-6,
};

#[test]
fn a_date_that_is_wrong_by_seconds_does_not_matter() {
    let (requests, visits) = PLAIN.run();
    for guess_error_ns in [-50_000_000_000, 50_000_000_000] {
        let found = match_clocks(&requests, &visits, WINDOW, PLAIN.offset_ns + guess_error_ns).unwrap();
        assert!(largest_error(&PLAIN, &found) <= found.error_ns, "{found:?}");
    }
}

#[test]
fn a_connection_that_never_pauses_is_matched_although_its_clock_drifts() {
    let drawn = Drawn {
        seed: 0,
        connections: 1,
        pause_ns: 20 * US,
        statements: 3,
        has_commits: true,
        offset_ns: 0,
        drift: 8.4e-5,
    };
    let (requests, visits) = drawn.run();
    let found = match_clocks(&requests, &visits, WINDOW, 7_597).unwrap();
    assert!(largest_error(&drawn, &found) <= found.error_ns + 2, "{found:?}");
}

#[test]
fn clocks_that_cannot_be_matched_say_why() {
    let (mut requests, visits) = PLAIN.run();
    let offset_ns = PLAIN.offset_ns;
    let error = |requests: &[Request], visits: &VisitTimes| {
        match_clocks(requests, visits, WINDOW, offset_ns).unwrap_err()
    };
    // Another run, on threads with the same ids.
    let (_, others) = Drawn { seed: 2, ..PLAIN }.run();
    assert!(matches!(
        error(&requests, &others),
        ClockError::NoAgreement { .. }
    ));
    let nothing = VisitTimes::of_threads(&requests);
    assert_eq!(error(&requests, &nothing), ClockError::OtherThreads(4));
    // A trace of a second in the middle.
    let mut short = VisitTimes::of_threads(&requests);
    let [from_ns, until_ns] = [2_500, 3_500].map(|ms| PLAIN.server(START_NS + ms * MS));
    for thread in 1..=4 {
        for &woken_ns in visits.wake_ups(thread, from_ns, until_ns) {
            short.begin(thread, woken_ns);
        }
    }
    let seen = error(&requests, &short);
    assert!(matches!(seen, ClockError::TooFew { .. }), "{seen:?}");
    requests.iter_mut().for_each(|request| request.thread = None);
    assert_eq!(error(&requests, &visits), ClockError::NoThreads);
}

#[test]
fn a_clock_that_was_set_contradicts_itself() {
    let (mut requests, visits) = PLAIN.run();
    for request in &mut requests {
        if request.sent_ns > START_NS + 4_500 * MS {
            for time_ns in [
                &mut request.due_ns,
                &mut request.sent_ns,
                &mut request.attempt_ns,
                &mut request.done_ns,
            ] {
                *time_ns += 700 * US;
            }
        }
    }
    let error = match_clocks(&requests, &visits, WINDOW, PLAIN.offset_ns).unwrap_err();
    assert!(matches!(error, ClockError::Contradiction { .. }), "{error}");
}
