//! Long waits of a thread, with the functions that waited.

use std::hint::black_box;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use logtrace_common::Detail;
use logtrace_events::{Record, ServerWait};
use logtrace_tracer::TracerConfig;
use nix::sys::select::select;
use nix::sys::time::{TimeVal, TimeValLike};

use crate::turn::turn;
use crate::uprobes::WITHOUT_LINKS;
use crate::{config_at, tid, traced_with, waits};

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

/// Sleeps as MySQL 8.0.12 does (mysys/my_sleep.cc): `select` without descriptors, which newer C libraries turn into `pselect6`.
#[inline(never)]
fn select_for(length: Duration) {
    let mut length = TimeVal::milliseconds(black_box(length).as_millis().try_into().unwrap());
    let ready = select(0, None, None, None, &mut length);
    assert_eq!(black_box(ready), Ok(0));
}

/// Long waits of this thread while `work` ran, each with its frames.
fn long_waits(config: TracerConfig, work: impl FnOnce()) -> Vec<(ServerWait, Vec<String>)> {
    let this = tid();
    let (records, account) = traced_with(config, work);
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

fn a_long_wait_has_the_functions_that_waited(config: TracerConfig) {
    let _turn = turn();
    // A thread that is preempted between the start of its timer and its sleep does not wait, but is ready all the time.
    let found = long_waits(config, || {
        for _ in 0..3 {
            wait_in_vain(Duration::from_millis(20));
            sleep_for(Duration::from_millis(20));
            select_for(Duration::from_millis(20));
        }
    });
    let of = |function: &str| {
        let has = |frames: &[String]| frames.iter().any(|frame| frame.contains(function));
        found.iter().find(|(_, frames)| has(frames))
    };
    for waiting in ["wait_in_vain", "sleep_for", "select_for"] {
        let (_, frames) = of(waiting).unwrap_or_else(|| panic!("{waiting}: {found:?}"));
        let has_caller = frames
            .iter()
            .any(|frame| frame.contains("a_long_wait_has_the_functions"));
        assert!(has_caller, "{frames:?}");
    }
}

#[test]
fn a_long_wait_has_its_functions() {
    a_long_wait_has_the_functions_that_waited(config_at(Detail::Io));
}

#[test]
fn a_long_wait_has_its_functions_on_older_kernels() {
    a_long_wait_has_the_functions_that_waited(TracerConfig {
        as_on: Some(WITHOUT_LINKS),
        ..config_at(Detail::Io)
    });
}

#[test]
fn at_the_lowest_detail_no_stacks_are_read() {
    let _turn = turn();
    let found = long_waits(config_at(Detail::Commit), || {
        wait_in_vain(Duration::from_millis(20));
    });
    assert!(found.is_empty(), "{found:?}");
}
