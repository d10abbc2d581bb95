//! A thread that slept already when tracing began is known from then on.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use logtrace_common::Detail;
use logtrace_events::{Record, Wake};

use crate::turn::turn;
use crate::{now_ns, tid, traced_at, waits};

#[test]
fn a_thread_that_slept_before_is_off_the_cpu_since_tracing_began() {
    let _turn = turn();
    let (order, ordered) = channel::<()>();
    let (name, named) = channel();
    let sleeper = thread::spawn(move || {
        name.send(tid()).unwrap();
        ordered.recv().unwrap();
    });
    let sleeping = named.recv().unwrap();
    let before_ns = now_ns();
    let mut begun_ns = 0;
    let (records, _) = traced_at(Detail::Commit, || {
        begun_ns = now_ns();
        order.send(()).unwrap();
        sleeper.join().unwrap();
    });
    let first = waits(&records, sleeping)[0];
    assert!((before_ns..=begun_ns).contains(&first.out_ns), "{first:?}");
    let Wake::By {
        at_ns, tid: waker, ..
    } = first.wake
    else {
        panic!("its wake-up was not seen: {first:?}");
    };
    assert!(at_ns >= begun_ns && waker == tid(), "{first:?}");
}

#[test]
fn a_thread_is_not_off_the_cpu_before_it_was_made() {
    let _turn = turn();
    let (mut made_ns, mut thread) = (0, 0);
    let (records, _) = traced_at(Detail::Commit, || {
        made_ns = now_ns();
        thread = thread::spawn(tid).join().unwrap();
    });
    let seen = waits(&records, thread);
    assert!(
        !seen.is_empty() && seen.iter().all(|off| off.out_ns >= made_ns),
        "{seen:?}"
    );
}

#[test]
fn the_end_of_a_thread_is_its_last_record() {
    let _turn = turn();
    let mut thread = 0;
    let (records, _) = traced_at(Detail::Commit, || {
        thread = thread::spawn(tid).join().unwrap();
        // Its last switch comes a moment after the kernel says that it has ended.
        thread::sleep(Duration::from_millis(50));
    });
    let ends = records.iter().filter_map(|record| match record {
        Record::ThreadEnd(end) if end.tid == thread => Some(end.at_ns),
        _ => None,
    });
    let ends: Vec<u64> = ends.collect();
    let last_ns = waits(&records, thread).iter().map(|off| off.in_ns).max().unwrap();
    assert!(ends.len() == 1 && ends[0] > last_ns, "{ends:?} after {last_ns}");
}
