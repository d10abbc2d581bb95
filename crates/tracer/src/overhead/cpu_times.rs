//! Time that the kernel counts for CPUs, and the part in which no task ran.

use std::iter::Sum;

use procfs::{CpuTime, CurrentSI, KernelStats};

/// Time of some or all CPUs since the machine started, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// All time.
    all: u64,
    /// Time in which no task was runnable.
    idle: u64,
    /// Time in which the hypervisor ran something else.
    steal: u64,
    /// Time in interrupts.
    interrupts: u64,
}

impl CpuTimes {
    /// Reads the counters of all CPUs (`/proc/stat`, Documentation/filesystems/proc.rst); all are 0 if they cannot be read.
    pub fn now() -> Self {
        KernelStats::current().map_or_else(|_| Self::default(), |stats| Self::of(&stats.total))
    }

    /// Reads the counters of each CPU that is online, in the order of their numbers; none if they cannot be read.
    pub fn of_each() -> Vec<Self> {
        KernelStats::current().map_or_else(
            |_| Vec::new(),
            |stats| stats.cpu_time.iter().map(Self::of).collect(),
        )
    }

    pub(crate) fn of(cpu: &CpuTime) -> Self {
        let steal = cpu.steal.unwrap_or(0);
        let interrupts = cpu.irq.unwrap_or(0).saturating_add(cpu.softirq.unwrap_or(0));
        let tasks = [cpu.user, cpu.nice, cpu.system];
        let idle = [cpu.idle, cpu.iowait.unwrap_or(0)];
        let others = [steal, interrupts];
        let all = [&tasks[..], &idle, &others].concat();
        Self {
            all: all.into_iter().fold(0, u64::saturating_add),
            idle: idle.into_iter().fold(0, u64::saturating_add),
            steal,
            interrupts,
        }
    }

    /// Returns the difference to an `earlier` reading. The kernel may count back by a tick.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            all: self.all.saturating_sub(earlier.all),
            idle: self.idle.saturating_sub(earlier.idle),
            steal: self.steal.saturating_sub(earlier.steal),
            interrupts: self.interrupts.saturating_sub(earlier.interrupts),
        }
    }

    /// Returns the time in which the CPUs ran tasks and interrupts of this machine, in nanoseconds; `None` if the counters could
    /// not be read.
    pub fn ran_ns(self) -> Option<u64> {
        let ran = self.all.saturating_sub(self.idle).saturating_sub(self.steal);
        let tick_ns = 1_000_000_000_u64.checked_div(procfs::ticks_per_second())?;
        (self.all > 0).then(|| ran.saturating_mul(tick_ns))
    }

    /// Returns the share of the time in which the CPUs were not idle, from 0 to 1. It includes what the hypervisor took.
    pub fn busy_share(self) -> f64 {
        self.share(self.all.saturating_sub(self.idle))
    }

    /// Returns the share of the time in which the hypervisor ran something else, from 0 to 1.
    pub fn steal_share(self) -> f64 {
        self.share(self.steal)
    }

    /// Returns the share of the time in interrupts, from 0 to 1.
    pub fn interrupt_share(self) -> f64 {
        self.share(self.interrupts)
    }

    fn share(self, part: u64) -> f64 {
        if self.all == 0 {
            0.0
        } else {
            part as f64 / self.all as f64
        }
    }
}

/// Sum of the times of several CPUs.
impl Sum for CpuTimes {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::default(), |sum, cpu| Self {
            all: sum.all.saturating_add(cpu.all),
            idle: sum.idle.saturating_add(cpu.idle),
            steal: sum.steal.saturating_add(cpu.steal),
            interrupts: sum.interrupts.saturating_add(cpu.interrupts),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_time_between_two_readings() {
        let at = |all, idle, steal, interrupts| CpuTimes {
            all,
            idle,
            steal,
            interrupts,
        };
        let between = at(1_200, 750, 60, 30).since(at(1_000, 700, 50, 10));
        assert_eq!((between.steal_share(), between.interrupt_share()), (0.05, 0.1));
        assert_eq!(between.busy_share(), 0.75);
        assert_eq!(CpuTimes::default().steal_share(), 0.0);
        assert_eq!(CpuTimes::default().ran_ns(), None);
    }
}
