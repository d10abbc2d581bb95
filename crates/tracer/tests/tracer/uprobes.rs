//! Probes in the server: one link for all places of a program, and a perf event for each on older kernels.

use std::thread;
use std::time::{Duration, Instant};

use logtrace_common::Detail;
use logtrace_events::Losses;
use logtrace_tracer::{KernelRelease, Tracer, TracerConfig};

use crate::optimised::{Statements, compiled, started};
use crate::server::{commit, read_only_commit, xa_commit, xa_prepare};
use crate::turn::turn;
use crate::{commits, config_at, held, now_ns, own, tid, traced, traced_with};

/// A kernel without links for all places.
pub(crate) const WITHOUT_LINKS: KernelRelease = KernelRelease { major: 6, minor: 5 };

/// One that has them, and filters them by thread instead of process.
pub(crate) const WITHOUT_FILTER: KernelRelease = KernelRelease { major: 6, minor: 9 };

/// Returns the kernels as on which probes can be placed here.
fn kernels() -> Vec<Option<KernelRelease>> {
    let has_links = KernelRelease::running().unwrap() > WITHOUT_LINKS;
    let without_filter = has_links.then_some(Some(WITHOUT_FILTER));
    [None, Some(WITHOUT_LINKS)]
        .into_iter()
        .chain(without_filter)
        .collect()
}

#[test]
fn commits_of_all_threads_are_recorded_on_older_kernels_too() {
    let _turn = turn();
    for as_on in kernels() {
        let config = TracerConfig {
            as_on,
            ..TracerConfig::new(own())
        };
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
fn another_process_of_the_program_is_not_traced() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let program = compiled(&directory, "-O2 -fno-pie -no-pie");
    for as_on in kernels() {
        let (mut server, mut other) = (started(&program), started(&program));
        let config = TracerConfig {
            process: held(&server),
            as_on,
            ..config_at(Detail::Full)
        };
        let mut told_ns = 0;
        let (mut ours, mut others) = (Statements::of(&mut server), Statements::of(&mut other));
        let (records, account) = traced_with(config, || {
            for _ in 0..20 {
                ours.execute("c");
                others.execute("c");
            }
            // It waits for its redo log. The other one, whose client is at the same address, does not end that.
            ours.execute("w");
            others.execute("d");
            ours.execute("r");
            told_ns = now_ns();
            ours.execute("d");
        });
        drop((ours, others));
        server.wait().unwrap();
        other.wait().unwrap();
        let recorded = commits(&records, server.id());
        assert_eq!(recorded.len(), 21, "{as_on:?}");
        assert!(recorded[20].end_ns > told_ns, "{as_on:?}");
        assert_eq!(commits(&records, other.id()).len(), 0, "{as_on:?}");
        assert_eq!(account.losses, Losses::default(), "{as_on:?}");
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
    if release <= WITHOUT_LINKS {
        println!("not tested: Linux {release} has no such links");
        return;
    }
    let config = |as_on| TracerConfig {
        as_on,
        ..crate::config_at(logtrace_common::Detail::Commit)
    };
    let (together, apart) = (detaching(config(None)), detaching(config(Some(WITHOUT_LINKS))));
    println!("detached in {together:?}, as on older kernels in {apart:?}");
    assert!(together < apart, "{together:?} {apart:?}");
}
