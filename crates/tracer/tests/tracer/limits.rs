//! Rings of machines whose memory is limited, and of CPUs that come online.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use logtrace_events::Losses;
use logtrace_tracer::{Tracer, TracerConfig};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::own;
use crate::server::commit;
use crate::turn::turn;
use crate::{commits, tid, traced};

/// Control group with a limit on memory, in which this process is until this is dropped.
struct SmallMemory {
    group: PathBuf,
}

impl SmallMemory {
    fn enter(bytes: u64) -> Self {
        let root = Path::new("/sys/fs/cgroup");
        let v1 = root.join("memory");
        let (parent, limit) = match v1.is_dir() {
            true => (v1, "memory.limit_in_bytes"),
            false => (root.to_owned(), "memory.max"),
        };
        let group = parent.join(format!("logtrace-rings-{}", process::id()));
        fs::create_dir(&group).unwrap();
        let this = Self { group };
        fs::write(this.group.join(limit), bytes.to_string()).unwrap();
        fs::write(this.group.join("cgroup.procs"), process::id().to_string()).unwrap();
        this
    }
}

impl Drop for SmallMemory {
    fn drop(&mut self) {
        let parent = self.group.parent().unwrap();
        fs::write(parent.join("cgroup.procs"), process::id().to_string()).unwrap();
        // A thread of the tracer that has just ended is not moved, and is in the group for another moment.
        eventually(|| fs::remove_dir(&self.group));
    }
}

#[test]
fn rings_that_do_not_fit_into_the_control_group_are_named_with_their_option() {
    let _turn = turn();
    let config = TracerConfig {
        ring_bytes: "256M".parse().unwrap(),
        ..TracerConfig::new(own())
    };
    let refused = {
        let _small = SmallMemory::enter(192 << 20);
        Tracer::start(config, |_: &[u8]| {}).err()
    };
    let error = refused.expect("rings of 256 MiB fit into 192 MiB").to_string();
    assert!(error.contains("--ring-bytes") && error.contains("KiB"), "{error}");
}

/// Tries again for ten seconds what does not work at once.
fn eventually(work: impl Fn() -> io::Result<()>) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while let Err(error) = work() {
        assert!(Instant::now() < deadline, "{error}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// CPU that is offline until it is online again, at the latest when this is dropped.
struct Offline(&'static str);

impl Offline {
    fn take() -> Option<Self> {
        let switch = "/sys/devices/system/cpu/cpu1/online";
        fs::write(switch, "0").ok().map(|()| Self(switch))
    }
}

impl Drop for Offline {
    fn drop(&mut self) {
        fs::write(self.0, "1").unwrap();
    }
}

#[test]
#[ignore = "long: takes a CPU of this machine offline for a moment"]
fn a_cpu_that_comes_online_gets_a_ring() {
    let _turn = turn();
    let Some(offline) = Offline::take() else {
        panic!("this machine has no second CPU that can be taken offline");
    };
    let mut thread = 0;
    let (records, account) = traced("1M", || {
        drop(offline);
        // The reader looks once a second.
        thread::sleep(Duration::from_millis(2_500));
        thread = thread::spawn(|| {
            let mut second = CpuSet::new();
            second.set(1);
            sched_setaffinity(None, &second).unwrap();
            (0..100).for_each(|_| commit(thread::yield_now));
            tid()
        })
        .join()
        .unwrap();
    });
    assert_eq!(commits(&records, thread).len(), 100);
    // What the CPU did before it had its ring is counted.
    assert_eq!(
        account.losses,
        Losses {
            lost: account.losses.lost,
            ..Losses::default()
        }
    );
}
