//! Threads with the same low bits of their ids are traced all the same.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;

use logtrace_common::Detail;
use logtrace_events::Losses;

use crate::server::commit;
use crate::turn::turn;
use crate::{commits, tid, traced_at};

const LARGEST: &str = "/proc/sys/kernel/pid_max";
const LAST: &str = "/proc/sys/kernel/ns_last_pid";
/// Distance of ids with the same slot (crates/tracer/bpf/state.h, `THREAD_SLOTS`).
const SLOTS: u32 = 65_536;
/// Limit on threads that are made until one has the wanted id: other processes take ids too.
const TRIES: usize = 1_000;

/// Limit on ids of this machine while it is raised; dropping it restores it.
struct LargestId(String);

impl LargestId {
    fn raised() -> Self {
        let before = fs::read_to_string(LARGEST).unwrap();
        fs::write(LARGEST, "4194304").unwrap();
        Self(before)
    }
}

impl Drop for LargestId {
    fn drop(&mut self) {
        // A machine with ids above the old limit keeps them.
        let _ = fs::write(LARGEST, &self.0);
    }
}

/// Does `work` in a thread with this id, and returns its result.
fn in_thread<T: Send + 'static>(
    wanted: u32,
    work: impl Fn() -> T + Copy + Send + 'static,
) -> thread::JoinHandle<T> {
    for _ in 0..TRIES {
        fs::write(LAST, (wanted - 1).to_string()).unwrap();
        let (name, named) = channel();
        let (go, goes) = channel();
        let made = thread::spawn(move || {
            name.send(tid()).unwrap();
            goes.recv().unwrap_or(false).then(work)
        });
        let has_it = named.recv().unwrap() == wanted;
        go.send(has_it).unwrap();
        if has_it {
            return thread::spawn(move || made.join().unwrap().unwrap());
        }
        made.join().unwrap();
    }
    panic!("no thread got the id {wanted}");
}

#[test]
#[ignore = "long: raises kernel.pid_max of this machine for a moment"]
fn threads_that_share_a_slot_lose_nothing() {
    let _turn = turn();
    let _largest = LargestId::raised();
    let own = tid();
    let others = [own + SLOTS, own + 2 * SLOTS];
    let commit_often = || (0..10).for_each(|_| commit(thread::yield_now));
    let (records, account) = traced_at(Detail::Io, || {
        commit_often();
        let running = others.map(|other| in_thread(other, commit_often));
        commit_often();
        running.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(account.losses, Losses::default());
    let counts = [own, others[0], others[1]].map(|thread| commits(&records, thread).len());
    assert_eq!(counts, [20, 10, 10]);
}
