//! Requests of a server's clients, from when they were due down to what their commits waited for.

use std::collections::BTreeMap;

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::{Breakdown, Part, StackTotal};
use logtrace_common::TimeRange;
use logtrace_events::{Outcome, Record, Request, Tid, Wake};
use logtrace_testkit::synthetic;
use proptest::prelude::*;

use super::before_commit::assert_adds_up;

const CONNECTIONS: u32 = 8;
const GROUPS: u32 = 50;
const EVER: TimeRange = TimeRange {
    start_ns: 0,
    end_ns: u64::MAX,
};

/// When a thread began to wait for its client, and when it was woken.
type ClientWait = (u64, u64);

/// A request for each of a thread's waits for its client: due and sent a little before it ends, done a little after the
/// next one has begun.
fn requests(records: &[Record]) -> Vec<Request> {
    let mut waits: BTreeMap<Tid, Vec<ClientWait>> = BTreeMap::new();
    let mut last_ns = 0;
    for record in records {
        match record {
            Record::OffCpu(off) if off.syscall == Some(45) => {
                let Wake::By { at_ns, .. } = off.wake else {
                    panic!("somebody sends it");
                };
                waits.entry(off.tid).or_default().push((off.out_ns, at_ns));
            }
            Record::Commit(commit) => last_ns = last_ns.max(commit.end_ns),
            _ => {}
        }
    }
    let of_thread = |(tid, waits): (Tid, Vec<ClientWait>)| {
        let ends = waits.iter().skip(1).map(|wait| wait.0).chain([last_ns + 5_000]);
        let request = move |(&(_, woken_ns), end_ns): (&ClientWait, u64)| Request {
            due_ns: woken_ns - 1_000,
            connection_wait_ns: 0,
            sent_ns: woken_ns - 700,
            attempt_ns: woken_ns - 700,
            done_ns: end_ns + 400,
            outcome: Outcome::Done,
            retries: 0,
            thread: Some(tid),
        };
        waits.iter().zip(ends).map(request).collect::<Vec<_>>()
    };
    waits.into_iter().flat_map(of_thread).collect()
}

fn analysis(window: TimeRange) -> Analysis {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: synthetic::SERVER_TGID,
        logs: synthetic::logs(),
        window,
    });
    analysis.expect_requests();
    analysis
}

fn analysed(records: Vec<Record>, requests: &[Request], window: TimeRange, statements: bool) -> Breakdown {
    let mut analysis = analysis(window);
    if statements {
        analysis.explain_statements();
    }
    finished(analysis, records, requests)
}

fn finished(mut analysis: Analysis, records: Vec<Record>, requests: &[Request]) -> Breakdown {
    for record in records {
        analysis.push(record);
    }
    for request in requests {
        analysis.push_request(request);
    }
    analysis.finish()
}

fn sum<'a>(stacks: impl IntoIterator<Item = &'a StackTotal>) -> u64 {
    stacks.into_iter().map(|stack| stack.total_ns).sum()
}

/// The stacks of one part.
fn of(breakdown: &Breakdown, part: Part) -> Vec<&StackTotal> {
    let stacks = breakdown.stacks.response.iter();
    stacks.filter(|stack| stack.frames[0] == part.as_str()).collect()
}

/// Every part of the response times is drawn whole.
fn assert_equal(breakdown: &Breakdown) {
    let response = &breakdown.response;
    let parts = [
        response.lag,
        response.client,
        response.before_commit,
        response.commit,
        response.after_commit,
    ];
    let drawn = [
        Part::Lag,
        Part::Client,
        Part::BeforeCommit,
        Part::Commit,
        Part::AfterCommit,
    ]
    .map(|part| sum(of(breakdown, part)));
    assert_eq!(drawn, parts);
    assert_eq!(sum(&breakdown.stacks.response), response.total);
}

/// Stacks by their frames without the first so many.
fn by_frames<'a>(
    stacks: impl IntoIterator<Item = &'a StackTotal>,
    without: usize,
) -> BTreeMap<Vec<String>, u64> {
    let mut sums = BTreeMap::new();
    for stack in stacks {
        *sums.entry(stack.frames[without..].to_vec()).or_default() += stack.total_ns;
    }
    sums
}

#[test]
fn below_the_commits_of_requests_are_the_causes_of_these_commits() {
    let records = synthetic::group_commits(CONNECTIONS, GROUPS);
    let requests = requests(&records);
    let breakdown = analysed(records, &requests, EVER, false);
    assert_equal(&breakdown);
    assert_eq!(breakdown.response.requests, u64::from(CONNECTIONS * GROUPS));
    assert_eq!(breakdown.response.commit, breakdown.commits.total);
    assert_eq!(
        by_frames(of(&breakdown, Part::Commit), 1),
        by_frames(&breakdown.stacks.commit, 0)
    );
    assert_eq!(
        of(&breakdown, Part::BeforeCommit).len(),
        1,
        "statements are not explained"
    );
}

#[test]
fn where_statements_are_explained_so_is_the_server_before_and_after_the_commit() {
    let records = synthetic::group_commits(CONNECTIONS, GROUPS);
    let requests = requests(&records);
    let breakdown = analysed(records, &requests, EVER, true);
    assert_equal(&breakdown);
    let statements = breakdown.statements.as_ref().unwrap();
    assert_eq!(sum(&breakdown.stacks.statement), statements.total);
    let mut outside = of(&breakdown, Part::BeforeCommit);
    outside.extend(of(&breakdown, Part::AfterCommit));
    let explained = outside.iter().filter(|stack| stack.frames.len() > 1);
    let explained = by_frames(explained.copied(), 1);
    assert_eq!(
        explained,
        by_frames(&breakdown.stacks.statement, 0),
        "all but the last statement of each thread, which have not ended"
    );
}

#[test]
fn a_request_of_the_window_that_ends_after_it_is_explained_as_well() {
    let records = synthetic::group_commits(CONNECTIONS, GROUPS);
    let requests = requests(&records);
    // It ends in the middle of a group.
    let middle = requests[20];
    let window = TimeRange::new(0, middle.sent_ns.midpoint(middle.done_ns));
    let due: Vec<Request> = requests
        .into_iter()
        .filter(|request| window.contains(request.due_ns))
        .collect();
    let breakdown = analysed(records, &due, window, false);
    assert_equal(&breakdown);
    assert_eq!(breakdown.response.requests, due.len() as u64);
    assert_eq!(
        breakdown.response.commit, breakdown.commits.total,
        "its commit counts"
    );
    let unexplained = of(&breakdown, Part::Commit)
        .into_iter()
        .filter(|stack| stack.frames[2] == "unexplained");
    assert_eq!(
        sum(unexplained),
        by_frames(&breakdown.stacks.commit, 0)
            .get(&vec!["own".to_owned(), "unexplained".to_owned()])
            .copied()
            .unwrap_or(0)
    );
}

#[test]
fn requests_of_a_time_with_losses_have_no_parts() {
    let records = synthetic::group_commits(CONNECTIONS, GROUPS);
    let requests = requests(&records);
    let gap = TimeRange::new(requests[20].sent_ns, requests[20].done_ns);
    let mut analysis = analysis(EVER);
    analysis.push_lost(gap);
    let breakdown = finished(analysis, records, &requests);
    assert_equal(&breakdown);
    let met = requests
        .iter()
        .filter(|request| request.sent_ns < gap.end_ns && gap.start_ns < request.done_ns);
    let met = met.count() as u64;
    assert!(met >= u64::from(CONNECTIONS), "all of a group, {met}");
    assert_eq!(breakdown.response.unmatched, met);
    assert_eq!(breakdown.response.requests, requests.len() as u64 - met);
}

proptest! {
    #[test]
    fn whatever_is_lost_the_parts_are_drawn_whole(
        keep in proptest::collection::vec(proptest::bool::weighted(0.8), 1_000),
        statements: bool,
    ) {
        let records = synthetic::group_commits(CONNECTIONS, 20);
        let requests = requests(&records);
        prop_assert!(records.len() <= keep.len());
        let kept = records.into_iter().zip(keep).filter_map(|(record, keep)| keep.then_some(record));
        let breakdown = analysed(kept.collect(), &requests, EVER, statements);
        assert_equal(&breakdown);
        prop_assert_eq!(sum(&breakdown.stacks.commit), breakdown.commits.total);
        let statements = breakdown.statements.as_ref().map_or(0, |statements| statements.total);
        prop_assert_eq!(sum(&breakdown.stacks.statement), statements);
        breakdown.stages.iter().for_each(assert_adds_up);
    }
}
