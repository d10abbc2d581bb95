//! A delay of a known length is found, in the right place and with the right length. Needs root, /dev/fuse and both
//! servers.

mod compared;
mod failing_fsync;
mod growth;

use std::time::Duration;

use growth::{Growth, Seen, medians};
use logtrace_attribution::cause::Wait;
use logtrace_common::FileClass;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::Document;
use logtrace_server::enter_mount_namespace;
use logtrace_testkit::one_or_all;

use crate::common::{SERVERS, alone, run};

/// What each fsync of one class of files takes longer.
const DELAY: Duration = Duration::from_millis(10);

/// Pairs of runs before this machine is too busy to say anything.
const PAIRS: usize = 7;

/// How much is asked of the server, and what that does to a commit.
struct Load {
    connections: u32,
    /// Requests a second.
    rate: u32,
    /// Delays that a commit waits for, at the most, with 5 % to spare.
    most: f64,
}

/// A commit that waits alone waits for its own fsync and no other one.
const ALONE: Load = Load {
    connections: 1,
    rate: 40,
    most: 1.05,
};

/// Commits wait for one another: for a part of the fsync that is under way, and for the whole of the next one.
const TOGETHER: Load = Load {
    connections: 4,
    rate: 100,
    most: 2.1,
};

#[test]
fn a_delay_of_the_binlogs_fsync_is_found_there_and_nowhere_else() {
    let _alone = alone();
    is_found(FileClass::Binlog, FileClass::Redo, &ALONE);
}

#[test]
#[ignore = "long: the delay of the binlog's fsync again, with commits that wait for one another"]
fn a_delay_of_the_binlogs_fsync_is_found_in_commits_that_wait_for_one_another() {
    let _alone = alone();
    is_found(FileClass::Binlog, FileClass::Redo, &TOGETHER);
}

#[test]
fn a_delay_of_the_redo_logs_fsync_is_found_there_and_nowhere_else() {
    let _alone = alone();
    is_found(FileClass::Redo, FileClass::Binlog, &TOGETHER);
}

fn is_found(class: FileClass, other: FileClass, load: &Load) {
    // What the disk does meanwhile is no change of the other log, so that it is on such a file system too, a prompt one.
    enter_mount_namespace().unwrap();
    let (slow, prompt) = (SlowDisk::mount(), SlowDisk::mount());
    let fits = |seen: &Growth| {
        (0.95..=1.05).contains(&seen.delayed)
            && seen.other.abs() < 0.1
            && (0.95..=load.most).contains(&seen.charged)
    };
    for server in one_or_all(&SERVERS) {
        let pairs = grown(fits, |delay| {
            slow.delay_syncs(delay);
            measured(&load.arguments(server), &[(class, &slow), (other, &prompt)])
        });
        let seen = medians(&pairs);
        println!(
            "{server}, {class}, {} connections: {seen:.3?} of the delay, from {pairs:.3?}",
            load.connections
        );
        assert!(fits(&seen), "{server}: {seen:?}");
    }
}

/// Pairs of runs, without and with the delay, until their medians fit or there are enough of them.
fn grown(fits: impl Fn(&Growth) -> bool, measure: impl Fn(Duration) -> Seen) -> Vec<Growth> {
    let mut pairs = Vec::new();
    while pairs.is_empty() || (pairs.len() < PAIRS && !fits(&medians(&pairs))) {
        let without = measure(Duration::ZERO);
        pairs.push(Growth::of(&without, &measure(DELAY)));
    }
    pairs
}

fn measured(arguments: &str, places: &[(FileClass, &SlowDisk); 2]) -> Seen {
    let [(class, slow), (other, prompt)] = places;
    let document = run(&format!(
        "{arguments} --place {class}={} --place {other}={}",
        slow.path().display(),
        prompt.path().display()
    ))
    .good();
    assert_told(&document);
    Seen::of(&document, *class, *other, slow.delayed())
}

/// Checks that the report says that the process behind the file system was waited for. What that process does is not known.
fn assert_told(document: &Document) {
    let mut causes = document.causes.iter();
    assert!(
        causes.any(|row| row.cause.wait == Wait::FileServer),
        "{:?}",
        document.causes
    );
}

impl Load {
    fn arguments(&self, server: &str) -> String {
        format!(
            "--server {server} --workload update_key --rate {}/s --connections {} --duration 2s --warmup 300ms \
             --tables 1 --rows 500",
            self.rate, self.connections
        )
    }
}
