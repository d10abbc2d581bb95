//! A delay of a known length is found, in the right place and with the right length. Needs root, /dev/fuse and both
//! servers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

mod growth;
mod nodes;
mod pass_through;
mod slow_sync;

use std::time::Duration;

use common::{SERVERS, alone, run};
use growth::{Growth, Seen, medians};
use logtrace_events::FileClass;
use rustix::process::setpriority_process;
use slow_sync::{SlowSync, directory_in};

/// What each fsync of one class of files takes longer.
const DELAY: Duration = Duration::from_millis(10);

/// Pairs of runs before this machine is too busy to say anything.
const PAIRS: usize = 7;

#[test]
fn a_delay_of_the_binlogs_fsync_is_found_there_and_nowhere_else() {
    is_found(FileClass::Binlog, FileClass::Redo);
}

#[test]
fn a_delay_of_the_redo_logs_fsync_is_found_there_and_nowhere_else() {
    is_found(FileClass::Redo, FileClass::Binlog);
}

fn is_found(class: FileClass, other: FileClass) {
    let _alone = alone();
    // For this thread, and so the file system, the program and the server: others do not hold them up.
    setpriority_process(None, -20).unwrap();
    let slow = SlowSync::mount();
    for server in SERVERS {
        // A commit that waits alone waits for its own fsync and no other one.
        for (connections, most) in [(1, 1.05), (4, 2.1)] {
            let fits = |seen: &Growth| {
                (0.95..=1.05).contains(&seen.delayed)
                    && seen.other.abs() < 0.1
                    && (0.95..=most).contains(&seen.charged)
            };
            let pairs = grown(PAIRS, fits, |delay| {
                slow.delay(delay);
                measured(server, class, other, &slow, connections)
            });
            let seen = medians(&pairs);
            assert!(
                fits(&seen),
                "{server}, {class}, {connections} connections: {seen:?} of the delay, from {pairs:?}"
            );
        }
    }
}

/// Pairs of runs, without and with the delay, until their medians fit or there are enough of them.
fn grown(most: usize, fits: impl Fn(&Growth) -> bool, measure: impl Fn(Duration) -> Seen) -> Vec<Growth> {
    let mut pairs = Vec::new();
    while pairs.is_empty() || (pairs.len() < most && !fits(&medians(&pairs))) {
        let without = measure(Duration::ZERO);
        pairs.push(Growth::of(&without, &measure(DELAY), DELAY));
    }
    pairs
}

fn measured(server: &str, class: FileClass, other: FileClass, slow: &SlowSync, connections: u32) -> Seen {
    // What the disk does meanwhile is no change of the other log.
    let memory = directory_in("/dev/shm");
    let ran = run(&format!(
        "--place {class}={} --place {other}={} --workload update_key --rate 40/s --connections {connections} \
         --duration 2s --warmup 300ms --tables 1 --rows 500 --server {server}",
        slow.path().display(),
        memory.path().display(),
    ));
    let document = ran.good();
    Seen::of(&document, class, other)
}
