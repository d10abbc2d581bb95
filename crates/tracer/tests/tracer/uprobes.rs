//! Probes in the server: one link for all places of a program, and a perf event for each on older kernels.

use std::thread;
use std::time::{Duration, Instant};

use logtrace_events::Losses;
use logtrace_tracer::{KernelRelease, Tracer, TracerConfig};

use crate::server::{commit, read_only_commit, xa_commit, xa_prepare};
use crate::turn::turn;
use crate::{commits, own, tid, traced, traced_with};

fn on_older_kernels() -> TracerConfig {
    TracerConfig {
        as_on_older_kernels: true,
        ..TracerConfig::new(own())
    }
}

#[test]
fn commits_of_all_threads_are_recorded_on_older_kernels_too() {
    let _turn = turn();
    for config in [TracerConfig::new(own()), on_older_kernels()] {
        let work = || {
            for _ in 0..20 {
                commit(thread::yield_now);
                read_only_commit();
            }
            xa_prepare(thread::yield_now);
            tid()
        };
        let mut threads = [0; 2];
        let (records, account) = traced_with(config, || {
            threads = [thread::spawn(work), thread::spawn(work)].map(|thread| thread.join().unwrap());
        });
        for thread in threads {
            assert_eq!(commits(&records, thread).len(), 21);
        }
        assert_eq!(account.losses, Losses::default());
        assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
    }
}

#[test]
fn a_return_address_is_never_changed() {
    let _turn = turn();
    let mut stack = String::new();
    traced("1M", || {
        xa_commit(|| stack = std::backtrace::Backtrace::force_capture().to_string());
    });
    // A changed address leads nowhere: the stack would end at the function that has the probe.
    assert!(stack.contains("a_return_address_is_never_changed"), "{stack}");
}

/// Time to detach the probes.
fn detaching(config: TracerConfig) -> Duration {
    let tracer = Tracer::start(config, |_: &[u8]| {}).unwrap();
    let stopped = tracer.stop().unwrap();
    let start = Instant::now();
    drop(stopped.detaching);
    start.elapsed()
}

#[test]
fn links_for_all_places_are_detached_faster_than_perf_events() {
    let _turn = turn();
    let release = KernelRelease::running().unwrap();
    if release < (KernelRelease { major: 6, minor: 6 }) {
        println!("not tested: Linux {release} has no such links");
        return;
    }
    let config = |is_old| TracerConfig {
        as_on_older_kernels: is_old,
        ..crate::config_at(logtrace_common::Detail::Commit)
    };
    let (together, apart) = (detaching(config(false)), detaching(config(true)));
    println!("detached in {together:?}, as on older kernels in {apart:?}");
    assert!(together < apart, "{together:?} {apart:?}");
}
