//! Statements that waited before their commits, and who is named for it.

use logtrace_attribution::breakdown::{Breakdown, StackTotals};
use logtrace_report::document::{Document, NameSource, TracedParts};
use logtrace_report::render::{Format, Input, render};

use super::samples;

/// Returns the answer of a sample whose row locks took `factor` times as long.
fn answer(factor: u64, change: impl FnOnce(&mut Document)) -> String {
    let mut document = samples::traced().document;
    let stages = document.stages.as_mut().unwrap();
    let row_lock = &mut stages.waits[0];
    let more = row_lock.total * (factor - 1);
    row_lock.total += more;
    row_lock.longest *= factor;
    for holder in &mut row_lock.held_by {
        holder.total *= factor;
        holder.held *= factor;
        holder.idle *= factor;
    }
    stages.waited += more;
    stages.before_commit += more;
    stages.total += more;
    change(&mut document);
    assert_eq!(document.check(), Ok(()));
    let input = Input {
        document: &document,
        stacks: &StackTotals::default(),
        over_time: None,
        color: false,
        all: false,
    };
    let text = render(Format::Markdown, input).unwrap();
    let answer = text
        .split("\n\n")
        .find(|paragraph| paragraph.contains("A commit takes"));
    answer.unwrap().to_owned()
}

#[test]
fn short_waits_are_not_in_the_answer() {
    assert!(!answer(1, |_| ()).contains("Statements waited"));
}

#[test]
fn waits_that_are_more_than_the_commits_come_first_with_who_held_the_lock() {
    let first = answer(100, |_| ());
    let wanted = "Statements waited 120 s before their commits, more than all commits took";
    assert!(first.starts_with(wanted), "{first}");
    let wanted = "100 % is row lock, held by connection 18, shop@10.0.0.3 (UPDATE \\`stock\\` SET \\`quantity\\` = \
                  \\`quantity\\` - ? WHERE \\`item\\` = ?) for 42.0 s, whose client was idle for 38.0 s. ";
    assert!(first.contains(wanted), "{first}");
}

#[test]
fn a_wait_far_longer_than_any_commit_comes_first_too() {
    let first = answer(10, |_| ());
    let wanted = "Statements waited 12.5 s before their commits: 96 % is row lock, held by connection 18, shop@10.0.0.3 (";
    assert!(first.starts_with(wanted), "{first}");
}

#[test]
fn a_holder_has_the_name_of_its_thread_at_least() {
    let named_by = |names| {
        answer(100, |document| {
            document.stages.as_mut().unwrap().waits[0].held_by[0].session = None;
            let holders = document.holders.as_mut().unwrap();
            holders.names = names;
            holders.sessions.retain(|_| names == NameSource::Server);
            holders
                .sessions
                .iter_mut()
                .for_each(|session| session.thread = 4_711);
            holders
                .sessions
                .iter_mut()
                .for_each(|session| session.statement = None);
        })
    };
    for (names, wanted) in [
        (
            NameSource::Server,
            "held by connection 17, app@10.0.0.3 for 42.0 s",
        ),
        (NameSource::ThreadPool, "held by thread 4711 for 42.0 s"),
        (
            NameSource::NoLogin,
            "held by thread 4711 (a login names its statement) for 42.0 s",
        ),
    ] {
        let first = named_by(names);
        assert!(first.contains(wanted), "{first}");
    }
}

#[test]
fn nobody_is_named_for_what_many_did() {
    let first = answer(100, |document| {
        let row_lock = &mut document.stages.as_mut().unwrap().waits[0];
        let holder = &mut row_lock.held_by[0];
        (holder.total, holder.held, holder.idle) = (row_lock.total / 5, 9, 9);
    });
    assert!(first.contains("100 % is row lock. "), "{first}");
}

#[test]
fn a_session_at_work_is_not_called_idle() {
    let first = answer(100, |document| {
        document.stages.as_mut().unwrap().waits[0].held_by[0].idle = 1_000_000;
    });
    assert!(first.contains("= ?) for 42.0 s. "), "{first}");
}

#[test]
fn a_pool_of_threads_and_the_lowest_detail_have_no_stages() {
    let mut document = samples::traced().document;
    let breakdown = Breakdown {
        stages: document.stages.take(),
        ..Breakdown::default()
    };
    document.set_breakdown(&breakdown, TracedParts::ALL);
    assert_eq!(document.stages, breakdown.stages);
    let without_files = TracedParts {
        files: false,
        ..TracedParts::ALL
    };
    document.set_breakdown(&breakdown, without_files);
    assert!(document.stages.is_none());
    let handling = ("thread_handling".to_owned(), "pool-of-threads".to_owned());
    document.server.settings.extend([handling]);
    document.set_breakdown(&breakdown, TracedParts::ALL);
    assert!(document.stages.is_none());
}
