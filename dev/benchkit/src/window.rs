//! Requests of a load over a time, and the CPU time that they took.

use std::ops::{Add, Sub};
use std::time::Duration;

use anyhow::Context;
use procfs::process::Process;
use procfs::{CurrentSI, KernelStats};
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// Requests over a time, and the CPU time of those who took part.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestsAndCpu {
    /// Number of requests.
    pub requests: u64,
    /// Length of the time.
    pub length: Duration,
    /// CPU time.
    pub cpu: CpuTime,
}

/// CPU time in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuTime {
    /// Time of the server's threads, by the scheduler's own sums (`/proc/PID/task/TID/schedstat`).
    pub server_ns: u64,
    /// Time of this process: the driver, and the reader of the tracer.
    pub own_ns: u64,
    /// Time in which all CPUs were not idle, of which the kernel tells hundredths of a second.
    pub busy_ns: u64,
}

impl RequestsAndCpu {
    /// Returns the requests a second.
    pub fn per_s(&self) -> f64 {
        self.requests as f64 / self.length.as_secs_f64()
    }

    /// Returns a CPU time by request, in nanoseconds.
    pub fn a_request(&self, time: fn(&CpuTime) -> u64) -> f64 {
        time(&self.cpu) as f64 / self.requests.max(1) as f64
    }
}

impl CpuTime {
    /// Reads the clocks: the times since the server, this process and the machine began.
    pub fn now(server: u32) -> anyhow::Result<Self> {
        let own = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime))?;
        Ok(Self {
            server_ns: process_ns(server)?,
            own_ns: u64::try_from(own.as_nanos())?,
            busy_ns: busy_ns()?,
        })
    }
}

/// Returns the CPU time of the threads that a process has.
fn process_ns(pid: u32) -> anyhow::Result<u64> {
    let process = Process::new(i32::try_from(pid)?).context("the server has ended")?;
    // A thread that ends meanwhile is none of those that serve the load.
    let threads = process.tasks()?.flatten();
    let stats = threads.filter_map(|thread| thread.schedstat().ok());
    Ok(stats.map(|stat| stat.sum_exec_runtime).sum())
}

/// Returns the time since the machine started minus that in which a CPU was idle or another machine had it.
fn busy_ns() -> anyhow::Result<u64> {
    let uptime = Duration::try_from(clock_gettime(ClockId::Boottime))?;
    let stats = KernelStats::current()?;
    let total = stats.total;
    let idle = total.idle + total.iowait.unwrap_or(0) + total.steal.unwrap_or(0);
    let idle_ns = u128::from(idle) * 1_000_000_000 / u128::from(clock_ticks_per_second());
    let all_ns = uptime.as_nanos() * stats.cpu_time.len() as u128;
    Ok(u64::try_from(all_ns.saturating_sub(idle_ns))?)
}

impl Add for RequestsAndCpu {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            length: self.length + other.length,
            cpu: CpuTime {
                server_ns: self.cpu.server_ns + other.cpu.server_ns,
                own_ns: self.cpu.own_ns + other.cpu.own_ns,
                busy_ns: self.cpu.busy_ns + other.cpu.busy_ns,
            },
        }
    }
}

impl Sub for CpuTime {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            server_ns: self.server_ns.saturating_sub(earlier.server_ns),
            own_ns: self.own_ns.saturating_sub(earlier.own_ns),
            busy_ns: self.busy_ns.saturating_sub(earlier.busy_ns),
        }
    }
}
