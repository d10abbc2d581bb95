//! Long waits of a thread, with the functions that waited.

use std::hint::black_box;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use logtrace_common::Detail;
use logtrace_events::{Record, ServerWait};

use crate::turn::turn;
use crate::{tid, traced_at, waits};

/// Waits for an event that does not come.
#[inline(never)]
fn wait_in_vain(length: Duration) {
    let (lock, event) = (Mutex::new(()), Condvar::new());
    let guard = lock.lock().unwrap();
    let (_guard, result) = event.wait_timeout_while(guard, length, |()| true).unwrap();
    assert!(black_box(result).timed_out());
}

#[inline(never)]
fn sleep_for(length: Duration) {
    thread::sleep(black_box(length));
}

/// Long waits of this thread while `work` ran, each with its frames.
fn long_waits(detail: Detail, work: impl FnOnce()) -> Vec<(ServerWait, Vec<String>)> {
    let this = tid();
    let (records, account) = traced_at(detail, work);
    assert_eq!(account.losses.lost, 0);
    let ends: Vec<u64> = waits(&records, this).iter().map(|off| off.in_ns).collect();
    let frames = |id: Option<u32>| {
        let mut stacks = records.iter().filter_map(|record| match record {
            Record::ServerStack(stack) if Some(stack.id) == id => Some(stack.frames.clone()),
            _ => None,
        });
        stacks.next().unwrap_or_default()
    };
    let found = records.iter().filter_map(|record| match record {
        Record::ServerWait(wait) if wait.tid == this => Some((*wait, frames(wait.stack))),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    assert!(
        found.iter().all(|(wait, _)| ends.contains(&wait.in_ns)),
        "{found:?}"
    );
    found
}

#[test]
fn a_long_wait_has_the_functions_that_waited() {
    let _turn = turn();
    let found = long_waits(Detail::Io, || {
        wait_in_vain(Duration::from_millis(20));
        sleep_for(Duration::from_millis(20));
    });
    let of = |function: &str| {
        let has = |frames: &[String]| frames.iter().any(|frame| frame.contains(function));
        found.iter().find(|(_, frames)| has(frames))
    };
    let (wait, frames) = of("wait_in_vain").unwrap_or_else(|| panic!("{found:?}"));
    assert!(wait.ran_out && wait.address != 0, "{wait:?}");
    assert!(
        frames
            .iter()
            .any(|frame| frame.contains("a_long_wait_has_the_functions")),
        "{frames:?}"
    );
    let (sleep, _) = of("sleep_for").unwrap_or_else(|| panic!("{found:?}"));
    assert!(!sleep.ran_out, "{sleep:?}");
}

#[test]
fn at_the_lowest_detail_no_stacks_are_read() {
    let _turn = turn();
    let found = long_waits(Detail::Commit, || wait_in_vain(Duration::from_millis(20)));
    assert!(found.is_empty(), "{found:?}");
}
