//! Control group of a server, with limits that can change.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;

use crate::guard::Guard;

/// Memory for the pages of files under a limit on memory.
const SPARE_MEMORY: u64 = 3 << 20;

/// Number of the next group of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Group of processes with one controller, of version 1 or 2 of the kernel's interface.
#[derive(Debug)]
pub struct Cgroup {
    directory: PathBuf,
    is_v1: bool,
    /// Removes the group.
    _guard: Guard,
}

impl Cgroup {
    /// Makes a group with a controller: `cpu`, `memory`, or `blkio`, which version 2 calls `io`. It is removed when this is dropped,
    /// if its processes have ended by then.
    pub fn new(controller: &str) -> anyhow::Result<Self> {
        let root = Path::new("/sys/fs/cgroup");
        let v1 = root.join(controller);
        let is_v1 = v1.is_dir();
        let parent = if is_v1 { v1 } else { root.to_owned() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("logtrace-lab-{}-{number}", process::id()));
        fs::create_dir(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let path = directory.to_string_lossy();
        let remove = "for _ in 1 2 3 4 5 6 7 8 9 10; do rmdir \"$1\" && break; sleep 1; done";
        let guard = Guard::new(remove, &[&path])?;
        Ok(Self {
            directory,
            is_v1,
            _guard: guard,
        })
    }

    /// Returns the path of the group's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Moves a process with all of its threads into the group.
    pub fn add(&self, pid: u32) -> io::Result<()> {
        self.write("cgroup.procs", &pid.to_string())
    }

    /// Sets the part of one CPU, in percent, or no limit.
    pub fn limit_cpu(&self, percent: Option<u32>) -> io::Result<()> {
        let quota = percent.map(|percent| (percent * 1_000).to_string());
        if self.is_v1 {
            self.write("cpu.cfs_quota_us", quota.as_deref().unwrap_or("-1"))
        } else {
            let quota = quota.unwrap_or_else(|| "max".to_owned());
            self.write("cpu.max", &format!("{quota} 100000"))
        }
    }

    /// Sets the writes a second of a block device, named by `MAJOR:MINOR`, or no limit.
    pub fn limit_writes(&self, device: &str, per_s: Option<u32>) -> io::Result<()> {
        if self.is_v1 {
            let line = format!("{device} {}", per_s.unwrap_or(0));
            self.write("blkio.throttle.write_iops_device", &line)
        } else {
            let limit = per_s.map_or_else(|| "max".to_owned(), |limit| limit.to_string());
            self.write("io.max", &format!("{device} wiops={limit}"))
        }
    }

    /// Sets the limit on memory in bytes, or no limit.
    pub fn limit_memory(&self, bytes: Option<u64>) -> io::Result<()> {
        let (file, none) = if self.is_v1 {
            ("memory.limit_in_bytes", "-1")
        } else {
            ("memory.max", "max")
        };
        self.write(
            file,
            &bytes.map_or_else(|| none.to_owned(), |bytes| bytes.to_string()),
        )
    }

    /// Sets a limit on memory that leaves some megabytes for the pages of files.
    pub fn leave_no_memory(&self) -> anyhow::Result<()> {
        let mut limit = self.process_memory()? + SPARE_MEMORY;
        // Dirty pages of a slow device cannot go at once; the kernel then refuses the limit (version 1).
        while let Err(error) = self.limit_memory(Some(limit)) {
            anyhow::ensure!(error.kind() == ErrorKind::ResourceBusy, error);
            limit += SPARE_MEMORY;
        }
        Ok(())
    }

    /// Returns the memory of the group's processes in bytes, without the pages of files.
    fn process_memory(&self) -> anyhow::Result<u64> {
        let name = if self.is_v1 { "rss" } else { "anon" };
        let bytes = self.value_in("memory.stat", name)?;
        bytes.with_context(|| format!("memory.stat has no {name}"))
    }

    /// Returns the time for which the kernel has kept the group off each CPU, added up.
    pub fn throttled(&self) -> anyhow::Result<Duration> {
        let microseconds = self.value_in("cpu.stat", "throttled_usec")?;
        let nanoseconds = self.value_in("cpu.stat", "throttled_time")?;
        let throttled = microseconds.map(Duration::from_micros);
        throttled
            .or_else(|| nanoseconds.map(Duration::from_nanos))
            .context("cpu.stat has no throttled time")
    }

    /// Returns a number in a file of lines with a name and a number, if it is there.
    fn value_in(&self, file: &str, name: &str) -> anyhow::Result<Option<u64>> {
        let text = fs::read_to_string(self.directory.join(file))?;
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let value = lines.find(|(word, _)| *word == name);
        Ok(value.map(|(_, value)| value.parse()).transpose()?)
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        fs::write(self.directory.join(file), value)
    }
}
