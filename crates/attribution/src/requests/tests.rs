//! Requests and visits of one thread, matched.

use std::iter;

use logtrace_events::CpuWait;
use proptest::prelude::*;

use super::*;
use crate::requests::parts::Response;

const THREAD: Tid = 7;
const POLL: u16 = 7;

fn expecting() -> RequestMatcher {
    RequestMatcher {
        is_expected: true,
        ..RequestMatcher::default()
    }
}

fn waited(out_ns: u64, woken_ns: u64) -> OffCpu {
    OffCpu {
        tid: THREAD,
        out_ns,
        in_ns: woken_ns + 1,
        wake: Wake::By {
            at_ns: woken_ns,
            tid: 1,
            tgid: 1,
            commit_ns: None,
            syscall: Some(44),
        },
        syscall: Some(POLL),
        stack: None,
        cpu_wait: CpuWait::Unknown,
    }
}

fn commit(start_ns: u64, end_ns: u64) -> Commit {
    Commit {
        tid: THREAD,
        start_ns,
        end_ns,
    }
}

fn request(due_ns: u64, sent_ns: u64, done_ns: u64) -> Request {
    Request {
        due_ns,
        connection_wait_ns: 0,
        sent_ns,
        attempt_ns: sent_ns,
        done_ns,
        outcome: Outcome::Done,
        retries: 0,
        thread: Some(THREAD),
    }
}

#[test]
fn a_request_is_taken_apart_where_its_thread_waited_for_the_client() {
    let mut responses = expecting();
    responses.push_off_cpu(&waited(0, 110), |_| &[]);
    responses.push_commit(&commit(130, 190), iter::empty());
    responses.push_request(&request(90, 100, 220));
    responses.push_off_cpu(&waited(205, 310), |_| &[]);
    let total = responses.finish().total();
    assert_eq!(
        total,
        Response {
            requests: 1,
            unmatched: 0,
            untraced: 0,
            total: 130,
            lag: 10,
            client: 10 + 15,
            before_commit: 20,
            commit: 60,
            after_commit: 15,
        }
    );
}

#[test]
fn a_transaction_of_several_statements_waits_for_its_client_in_between() {
    let mut responses = expecting();
    for (out, woken) in [(0, 100), (120, 140)] {
        responses.push_off_cpu(&waited(out, woken), |_| &[]);
    }
    responses.push_commit(&commit(150, 170), iter::empty());
    responses.push_off_cpu(&waited(175, 300), |_| &[]);
    responses.push_request(&request(95, 95, 180));
    let total = responses.finish().total();
    assert_eq!((total.client, total.before_commit), (5 + 20 + 5, 20 + 10));
    assert_eq!((total.commit, total.after_commit), (20, 5));
}

#[test]
fn a_request_that_was_there_already_begins_without_a_wait() {
    let found = |at_ns| OffCpu {
        in_ns: at_ns,
        wake: Wake::Unknown,
        ..waited(at_ns, at_ns)
    };
    let mut responses = expecting();
    responses.push_off_cpu(&waited(0, 100), |_| &[]);
    responses.push_commit(&commit(110, 130), iter::empty());
    let mut ended = Vec::new();
    for at_ns in [150, 170] {
        responses.push_off_cpu(&found(at_ns), |visit| {
            ended.push(visit.range);
            &[]
        });
    }
    // The first is answered at 140; the second comes at 145, while the server still logs the first.
    for (sent_ns, done_ns) in [(95, 140), (145, 165)] {
        responses.push_request(&request(sent_ns, sent_ns, done_ns));
    }
    assert_eq!(ended, [TimeRange::new(100, 150), TimeRange::new(150, 170)]);
    let total = responses.finish().total();
    assert_eq!((total.requests, total.client, total.commit), (2, 5, 20));
    assert_eq!((total.before_commit, total.after_commit), (10 + 5 + 15, 10));
}

#[test]
fn requests_may_come_before_or_after_their_records() {
    let mut responses = expecting();
    responses.push_request(&request(10, 10, 50));
    responses.push_off_cpu(&waited(0, 15), |_| &[]);
    responses.push_off_cpu(&waited(45, 65), |_| &[]);
    responses.push_off_cpu(&waited(95, 115), |_| &[]);
    responses.push_request(&request(60, 60, 100));
    let total = responses.finish().total();
    assert_eq!((total.requests, total.client), (2, 5 + 5 + 5 + 5));
}

#[test]
fn what_cannot_be_matched_is_counted() {
    let mut responses = expecting();
    responses.push_request(&request(0, 0, 10));
    responses.push_request(&Request {
        thread: None,
        ..request(0, 0, 10)
    });
    responses.push_request(&Request {
        outcome: Outcome::Disconnected,
        ..request(0, 0, 10)
    });
    let total = responses.finish().total();
    assert_eq!((total.requests, total.unmatched, total.total), (0, 2, 0));
}

#[test]
fn requests_that_were_not_seen_from_end_to_end_are_counted() {
    let mut responses = expecting();
    responses.push_off_cpu(&waited(0, 105), |_| &[]);
    responses.push_off_cpu(&waited(115, 145), |_| &[]);
    responses.push_request(&request(100, 100, 120));
    responses.interrupt(TimeRange::new(150, 250));
    // When the thread began to wait for the second of these is not known.
    for (due_ns, done_ns) in [(140, 260), (270, 300), (340, 370)] {
        responses.push_request(&request(due_ns, due_ns, done_ns));
    }
    responses.push_commit(&commit(280, 290), iter::empty());
    responses.push_off_cpu(&waited(295, 345), |visit| panic!("{visit:?} was not seen to end"));
    responses.push_off_cpu(&waited(365, 400), |_| &[]);
    let total = responses.finish().total();
    assert_eq!((total.requests, total.untraced, total.unmatched), (2, 2, 0));
    assert_eq!((total.commit, total.total), (0, 20 + 30));
}

#[test]
fn visits_of_ended_threads_are_forgotten_and_those_of_requests_are_not() {
    let mut responses = expecting();
    responses.push_off_cpu(&waited(0, 15), |_| &[]);
    responses.push_request(&request(0, 10, 40));
    for tid in 100..1_000_000 {
        let at_ns = u64::from(tid) * 1_000_000;
        responses.push_off_cpu(
            &OffCpu {
                tid,
                ..waited(at_ns, at_ns + 5)
            },
            |_| &[],
        );
        let at_ns = at_ns + 60;
        responses.push_thread_end(ThreadEnd { tid, at_ns });
        assert!(responses.threads.len() <= 10_000);
    }
    responses.push_off_cpu(&waited(45, 2_000_000_000_000), |_| &[]);
    let total = responses.finish().total();
    assert_eq!((total.requests, total.unmatched), (1, 0));
}

proptest! {
    #[test]
    fn the_parts_of_a_response_sum_to_it(
        gaps in proptest::collection::vec((1u64..50, 0u64..50, 0u64..50, 0u64..50, 0u64..20), 1..40),
    ) {
        let mut responses = expecting();
        let (mut at, mut expected) = (0, 0);
        for (wait, before, length, after, lag) in gaps {
            let woken = at + wait;
            responses.push_off_cpu(&waited(at, woken), |_| &[]);
            let start = woken + before;
            if length > 0 {
                responses.push_commit(&commit(start, start + length), iter::empty());
            }
            at = start + length + after;
            let asked = request(woken.saturating_sub(wait / 2 + lag), woken - wait / 2, at + wait / 3 + 1);
            expected += asked.response_ns();
            responses.push_request(&asked);
        }
        let total = responses.finish().total();
        let parts = total.lag + total.client + total.before_commit + total.commit + total.after_commit;
        prop_assert_eq!(parts, total.total);
        if total.unmatched == 0 {
            prop_assert_eq!(total.total, expected);
        }
    }
}
