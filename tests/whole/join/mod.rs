//! Requests of one machine and causes of another, put together.

mod namespaces;
mod remote;
mod same_causes;

use std::thread;

use crate::common::{alone, caveats, driver, sum_of_parts, tells};
use logtrace_common::Flavor;
use logtrace_report::document::{CaveatKind, Document, Driver};

use self::remote::{AHEAD_S, Remote};

/// Does `work` on a thread of its own, which may enter a namespace.
pub(crate) fn on_own_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

const LOAD: &str = "--workload update_key --tables 2 --rows 1000 --rate 250..350/s:50 --connections 8 --warmup 500ms --duration 4s";

/// Returns the number of commits in all steps of the rate.
fn in_steps(joined: &Document) -> u64 {
    let steps = driver(joined).steps.iter();
    let commits = steps.map(|step| step.commits.as_ref().expect("a step has commits"));
    commits.map(|commits| commits.count).sum()
}

/// Returns the load without the commits of the steps, which a run that was not traced does not have.
fn without_commits(joined: &Document) -> Driver {
    let mut driver = driver(joined).clone();
    assert_eq!(driver.steps.len(), 3);
    driver.steps.iter_mut().for_each(|step| step.commits = None);
    driver
}

#[test]
fn a_run_and_a_trace_of_two_machines_are_joined() {
    // Clocks are compared to microseconds.
    let _turn = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        on_own_thread(|| {
            let measured = Remote::start(flavor).measure(LOAD);
            let run = measured.run.document();
            assert!(
                matches!(measured.run.code(), Some(0 | 3)),
                "{}",
                measured.run.stderr()
            );
            assert!(
                tells(&run, &CaveatKind::RemoteServer) && run.tracer.is_none(),
                "{:?}",
                run.caveats
            );
            assert!(measured.run.stderr().contains("logtrace trace --record"));
            assert_eq!((&run.host, &run.server.binary), (&None, &None));
            let joined = measured.join().document();
            let join = joined.join.as_ref().unwrap();
            println!("{flavor}: {join:?} {:?}", joined.response);
            let expected_ns = -AHEAD_S * 1_000_000_000;
            assert!(join.offset.abs_diff(expected_ns) <= join.error, "{join:?}");
            assert!(join.error < 100_000, "{join:?}");
            let done = driver(&run).done;
            // A request that arrives while its thread still works has no wake-up of its own.
            assert!(join.matched as f64 >= 0.95 * done as f64, "{join:?} of {done}");
            let response = joined.response.as_ref().unwrap();
            assert_eq!(sum_of_parts(response), response.total);
            assert!(
                response.requests as f64 >= 0.99 * done as f64,
                "{response:?} of {done}"
            );
            assert!(response.commit > 0 && response.client > 0 && response.before_commit > 0);
            let commits = joined.commits.as_ref().unwrap();
            assert!(
                commits.count.abs_diff(done) <= done / 100,
                "{commits:?} of {done}"
            );
            assert_eq!(
                joined.causes.iter().map(|row| row.total).sum::<u64>(),
                commits.total
            );
            // A commit that ends after the last step is in none.
            let in_none = commits.count - in_steps(&joined);
            assert!(in_none <= done / 100, "{in_none} of {commits:?}");
            assert_eq!(without_commits(&joined), *driver(&run));
            assert!(!caveats(&joined).contains(&&CaveatKind::RemoteServer));
            assert_eq!(joined.host, measured.trace.document().host);
        });
    }
}
