//! The tracer on a process that is known to the last system call: this test itself.
//!
//! It exports functions under the names that the probes look for, so that the whole way is real: finding symbols
//! and call sites in an ELF file, attaching, the ring, decoding. Needs root.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod files;
mod first_sight;
mod groups;
mod limits;
mod memory;
mod one_process;
mod optimised;
mod requests;
mod server;
mod server_waits;
mod thread_slots;
mod turn;
mod uprobes;

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::{process, thread};

use logtrace_common::Detail;
use logtrace_common::process::ProcessHandle;
use logtrace_events::{Commit, Flush, Io, IoOp, Losses, OffCpu, Record, Wake, decode};
use logtrace_tracer::{Extent, Sink, Stopped, Tracer, TracerConfig};
use rustix::time::{ClockId, clock_gettime};

use crate::server::{commit, read_only_commit, xa_commit, xa_prepare};
use crate::turn::turn;

fn tid() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// This process, held.
fn own() -> Arc<ProcessHandle> {
    Arc::new(ProcessHandle::own().unwrap())
}

/// A child, held.
fn held(child: &process::Child) -> Arc<ProcessHandle> {
    Arc::new(ProcessHandle::open(child.id()).unwrap())
}

/// Everything that was recorded while `work` ran.
fn traced(ring_bytes: &str, work: impl FnOnce()) -> (Vec<Record>, logtrace_tracer::Account) {
    let config = TracerConfig {
        ring_bytes: ring_bytes.parse().unwrap(),
        ..TracerConfig::new(own())
    };
    traced_with(config, work)
}

fn config_at(detail: Detail) -> TracerConfig {
    let extent = Extent {
        detail,
        ..Extent::default()
    };
    TracerConfig {
        extent,
        ..TracerConfig::new(own())
    }
}

fn traced_at(detail: Detail, work: impl FnOnce()) -> (Vec<Record>, logtrace_tracer::Account) {
    traced_with(config_at(detail), work)
}

fn traced_with(config: TracerConfig, work: impl FnOnce()) -> (Vec<Record>, logtrace_tracer::Account) {
    let records = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&records);
    let tracer = Tracer::start(config, move |bytes: &[u8]| {
        sink.lock().unwrap().push(decode(bytes).unwrap());
    })
    .expect("tracing needs root and a kernel with BTF");
    work();
    let account = tracer.stop().unwrap().account;
    let records = std::mem::take(&mut *records.lock().unwrap());
    (records, account)
}

fn commits(records: &[Record], tid: u32) -> Vec<Commit> {
    let of_thread = |record: &Record| match record {
        Record::Commit(commit) if commit.tid == tid => Some(*commit),
        _ => None,
    };
    records.iter().filter_map(of_thread).collect()
}

fn ios(records: &[Record], tid: u32) -> Vec<Io> {
    let of_thread = |record: &Record| match record {
        Record::Io(io) if io.tid == tid => Some(*io),
        _ => None,
    };
    records.iter().filter_map(of_thread).collect()
}

fn waits(records: &[Record], tid: u32) -> Vec<OffCpu> {
    let of_thread = |record: &Record| match record {
        Record::OffCpu(off) if off.tid == tid => Some(*off),
        _ => None,
    };
    records.iter().filter_map(of_thread).collect()
}

#[test]
fn every_system_call_and_commit_is_recorded_once_with_its_file() {
    let _turn = turn();
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let path = dir.path().join("binlog.000001");
    let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
    let (records, account) = traced("1M", || {
        for _ in 0..50 {
            commit(|| {
                file.write_all(b"twelve bytes").unwrap();
                file.sync_data().unwrap();
            });
            read_only_commit();
        }
    });
    let (commits, ios) = (commits(&records, tid()), ios(&records, tid()));
    assert_eq!((commits.len(), ios.len()), (50, 100));
    for (commit, pair) in commits.iter().zip(ios.chunks(2)) {
        assert_eq!(
            (pair[0].op, pair[0].ret, pair[1].op, pair[1].ret),
            (IoOp::Write, 12, IoOp::Fsync, 0)
        );
        assert!(commit.start_ns <= pair[0].enter_ns && pair[0].exit_ns <= pair[1].enter_ns);
        assert!(pair[1].exit_ns <= commit.end_ns);
    }
    let named = records.iter().any(
        |record| matches!(record, Record::File(file) if file.id == ios[0].file && path.ends_with(&file.path)),
    );
    assert!(named, "the file's name came with its identity");
    assert_eq!(account.losses, Losses::default());
    assert!(account.events > 0 && account.bpf().ns > 0.0 && account.reader_cpu_ns() > 0);
    assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
}

#[test]
fn a_block_inside_an_fsync_carries_the_kernel_stack() {
    let _turn = turn();
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.path().join("ib_logfile0"))
        .unwrap();
    let (records, _) = traced("1M", || {
        for _ in 0..20 {
            file.write_all(&[0; 4096]).unwrap();
            file.sync_data().unwrap();
        }
    });
    let fsyncs: Vec<Io> = ios(&records, tid())
        .into_iter()
        .filter(|io| io.op == IoOp::Fsync)
        .collect();
    let inside = |off: &OffCpu| {
        fsyncs
            .iter()
            .any(|io| io.enter_ns <= off.out_ns && off.in_ns <= io.exit_ns)
    };
    let blocked: Vec<OffCpu> = waits(&records, tid())
        .into_iter()
        .filter(|off| inside(off) && off.wake != Wake::Preempted)
        .collect();
    assert!(!blocked.is_empty(), "20 fsyncs on a disk block at least once");
    for off in blocked {
        let stack = records.iter().find_map(|record| match record {
            Record::Stack(stack) if Some(stack.id) == off.stack => Some(&stack.frames),
            _ => None,
        });
        let frames = stack.expect("a stack for every block in an I/O call");
        assert!(frames.iter().any(|frame| frame.contains("fsync")), "{frames:?}");
        assert!(!frames[0].starts_with("schedule"), "{frames:?}");
    }
}

#[test]
fn xa_commits_in_two_phases_and_in_one() {
    let _turn = turn();
    let mut within = Vec::new();
    let (records, account) = traced("1M", || {
        for _ in 0..10 {
            xa_prepare(thread::yield_now);
            xa_commit(thread::yield_now);
            let started = now_ns();
            xa_commit(|| commit(thread::yield_now));
            within.push((started, now_ns()));
        }
    });
    let commits = commits(&records, tid());
    assert_eq!(
        commits.len(),
        30,
        "prepare, commit, and the one inside of a commit in one phase"
    );
    for (start_ns, end_ns) in within {
        let inside = |commit: &&Commit| start_ns <= commit.start_ns && commit.end_ns <= end_ns;
        assert_eq!(commits.iter().filter(inside).count(), 1);
    }
    assert_eq!(account.losses, Losses::default());
}

/// Now, by the clock of the records.
fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

fn flushes(records: &[Record]) -> Vec<Flush> {
    let flush = |record: &Record| match record {
        Record::Flush(flush) => Some(*flush),
        _ => None,
    };
    records.iter().filter_map(flush).collect()
}

/// Appends to a file on a disk, and makes it durable, twenty times over.
fn append_and_sync() {
    let mut file = tempfile::tempfile_in("/var/tmp").unwrap();
    for _ in 0..20 {
        file.write_all(&[0; 4096]).unwrap();
        file.sync_data().unwrap();
    }
}

#[test]
fn a_wait_for_the_devices_cache_ends_with_a_flush_of_it() {
    let _turn = turn();
    let (records, account) = traced_at(Detail::Full, append_and_sync);
    assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
    let flushing: Vec<u32> = records
        .iter()
        .filter_map(|record| match record {
            Record::Stack(stack) if stack.frames.iter().any(|frame| frame == "blkdev_issue_flush") => {
                Some(stack.id)
            }
            _ => None,
        })
        .collect();
    let blocked = waits(&records, tid()).into_iter();
    let blocked: Vec<OffCpu> = blocked
        .filter(|off| off.wake != Wake::Preempted && off.stack.is_some_and(|id| flushing.contains(&id)))
        .collect();
    assert!(!blocked.is_empty(), "the disk has a cache to flush");
    let flushes = flushes(&records);
    for off in blocked {
        let ended = |flush: &&Flush| off.out_ns <= flush.done_ns && flush.done_ns <= off.in_ns;
        let flush = flushes.iter().find(ended).expect("a flush that ends in the wait");
        assert!(flush.dev != 0 && flush.issue_ns < flush.done_ns, "{flush:?}");
    }
}

#[test]
fn the_lowest_detail_sees_waits_and_no_files() {
    let _turn = turn();
    let (records, account) = traced_at(Detail::Commit, || commit(append_and_sync));
    assert_eq!(commits(&records, tid()).len(), 1);
    assert!(!waits(&records, tid()).is_empty());
    assert!(ios(&records, tid()).is_empty() && flushes(&records).is_empty());
    assert!(account.probes.iter().all(|probe| !probe.name.starts_with("sys_")));
}

#[test]
fn a_waiting_commit_names_the_commit_that_woke_it() {
    let _turn = turn();
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.path().join("binlog.000001"))
        .unwrap();
    let (order, ordered) = channel();
    let (answer, answered) = channel();
    let (mut leader, mut follower) = (0, 0);
    let (records, _) = traced("1M", || {
        let leading = thread::spawn(move || {
            for _ in 0..20 {
                ordered.recv().unwrap();
                commit(|| {
                    file.sync_all().unwrap();
                    answer.send(()).unwrap();
                });
            }
            tid()
        });
        follower = tid();
        for _ in 0..20 {
            commit(|| {
                order.send(()).unwrap();
                answered.recv().unwrap();
            });
        }
        leader = leading.join().unwrap();
    });
    let leading = commits(&records, leader);
    assert_eq!((leading.len(), commits(&records, follower).len()), (20, 20));
    let named = waits(&records, follower)
        .iter()
        .filter_map(|off| match off.wake {
            Wake::By {
                tid,
                commit_ns: Some(commit),
                syscall: Some(_),
                ..
            } if tid == leader => Some(commit),
            _ => None,
        })
        .filter(|commit| leading.iter().any(|leading| leading.start_ns == *commit))
        .count();
    assert!(named >= 10, "only {named} of 20 waits name the leader's commit");
}

#[test]
fn a_ring_too_small_counts_what_it_lost() {
    let _turn = turn();
    let mut file = tempfile::tempfile_in("/var/tmp").unwrap();
    let (records, account) = traced("4K", || {
        for _ in 0..20_000 {
            file.write_all(b"x").unwrap();
        }
    });
    let kept = ios(&records, tid()).len() as u64;
    assert!(kept < 20_000, "a ring of one page cannot hold them all");
    assert!(
        account.losses.lost >= 20_000 - kept,
        "{} lost, {kept} kept",
        account.losses.lost
    );
}

/// When records were lost, as the sink is told.
#[derive(Default)]
struct Lost(Vec<(u64, u64)>);

impl Sink for Lost {
    fn record(&mut self, _: &[u8]) {}

    fn lost(&mut self, from_ns: u64, until_ns: u64) {
        self.0.push((from_ns, until_ns));
    }
}

#[test]
fn when_records_were_lost_is_told() {
    let _turn = turn();
    let mut file = tempfile::tempfile_in("/var/tmp").unwrap();
    let mut traced = |ring_bytes: &str, writes: u32| {
        let config = TracerConfig {
            ring_bytes: ring_bytes.parse().unwrap(),
            ..TracerConfig::new(own())
        };
        let tracer = Tracer::start(config, Lost::default()).unwrap();
        let start_ns = now_ns();
        for _ in 0..writes {
            file.write_all(b"x").unwrap();
        }
        let end_ns = now_ns();
        let Stopped {
            sink: lost, account, ..
        } = tracer.stop().unwrap();
        assert_eq!(lost.0.is_empty(), account.losses.lost == 0);
        (lost.0, start_ns, end_ns)
    };
    let (lost, start_ns, end_ns) = traced("4K", 20_000);
    assert!(lost.iter().all(|(from_ns, until_ns)| from_ns < until_ns));
    assert!(lost.is_sorted());
    assert!(
        lost[0].0 < end_ns && lost.last().unwrap().1 > start_ns,
        "{lost:?}"
    );
    let (lost, ..) = traced("1M", 100);
    assert_eq!(lost, [], "nothing is lost where there is room");
}

#[test]
fn a_program_without_the_servers_symbols_is_refused_with_a_remedy() {
    let mut sleeper = process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
    let refused = Tracer::start(TracerConfig::new(held(&sleeper)), |_: &[u8]| ()).err();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    let message = refused.expect("sleep is not a server").to_string();
    assert!(
        message.contains("ha_commit_trans") && message.contains("--no-trace"),
        "{message}"
    );
}
