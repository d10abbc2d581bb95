//! Runs of each program: all are counted, and some are timed (bpf/runs.h).

use std::collections::BTreeMap;
use std::ops::{Add, Sub};

use aya::maps::{MapData, PerCpuArray};

use crate::overhead::cost::Estimate;

/// Programs in the order of `enum program` in bpf/runs.h.
pub(crate) const PROGRAMS: [&str; 27] = [
    "on_switch",
    "on_switched",
    "on_waking",
    "on_io_enter",
    "on_io_exit",
    "on_wait_exit",
    "on_client_exit",
    "on_request",
    EACH_CALL,
    "on_sys_exit",
    "on_commit_begin",
    "on_commit_end",
    "on_async_begin",
    "on_async_end",
    "on_xa_begin",
    "on_xa_end",
    "on_galera_begin",
    "on_galera_end",
    "on_flush_join",
    "on_flush_lead",
    "on_group_join",
    "on_group_member",
    "on_flush_issue",
    "on_flush_complete",
    "on_cpu_sample",
    ANY_CALL,
    NOTHING,
];

/// Program that runs at each system call of the machine, to count them.
pub(crate) const ANY_CALL: &str = "on_any_call";

/// Its tracepoint.
pub(crate) const ANY_CALL_AT: &str = "sys_enter";

/// Program that runs at each system call of the machine in a burst, to trace some of them.
pub(crate) const EACH_CALL: &str = "on_sys_enter";

/// Program that runs at a call in logtrace's own process.
pub(crate) const NOTHING: &str = "on_nothing";

/// `struct runs` of bpf/runs.h, on one CPU.
pub(crate) type RunsOnCpu = [u64; 8];

/// Runs of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// Number of runs.
    pub(crate) count: u64,
    /// Number of those that were timed.
    pub(crate) timed: u64,
    /// Sum of the timed runs in nanoseconds.
    pub(crate) ns: u64,
    /// Sum of the squares of the timed runs.
    pub(crate) squares: u64,
    /// Sum of what one reading of the clock cost in each timed run, in nanoseconds.
    pub(crate) clock_ns: u64,
}

/// Readings of the clock in a timed run.
const READINGS: u64 = 3;

impl Runs {
    /// Reads the runs of all programs so far, by the names of these.
    pub(crate) fn of_all(map: &PerCpuArray<MapData, RunsOnCpu>) -> BTreeMap<&'static str, Self> {
        let names = PROGRAMS.into_iter().zip(0u32..);
        names.map(|(name, index)| (name, Self::of(map, index))).collect()
    }

    fn of(map: &PerCpuArray<MapData, RunsOnCpu>, index: u32) -> Self {
        map.get(&index, 0)
            .map_or(Self::default(), |cpus| Self::of_cpus(&cpus))
    }

    fn of_cpus(cpus: &[RunsOnCpu]) -> Self {
        let each = cpus
            .iter()
            .map(|&[count, _, timed, ns, squares, clock_ns, ..]| Self {
                count,
                timed,
                ns,
                squares,
                clock_ns,
            });
        each.fold(Self::default(), Add::add)
    }

    /// Returns the time of all runs: the mean of the timed ones, for each run, and what timing them cost.
    pub(crate) fn total(self) -> Estimate {
        if self.timed == 0 {
            return Estimate::default();
        }
        let (count, timed) = (self.count as f64, self.timed as f64);
        let mean = self.ns as f64 / timed;
        let variance = (self.squares as f64 / timed - mean * mean).max(0.0);
        Estimate::mean(count * mean, count * count * variance / timed).plus((READINGS * self.clock_ns) as f64)
    }
}

impl Add for Runs {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            timed: self.timed + other.timed,
            ns: self.ns + other.ns,
            squares: self.squares.saturating_add(other.squares),
            clock_ns: self.clock_ns + other.clock_ns,
        }
    }
}

impl Sub for Runs {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            count: self.count - earlier.count,
            timed: self.timed - earlier.timed,
            ns: self.ns - earlier.ns,
            squares: self.squares - earlier.squares,
            clock_ns: self.clock_ns - earlier.clock_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_names_and_the_order_of_the_kernel_side() {
        let source = include_str!("../../bpf/runs.h");
        let (_, list) = source.split_once("enum program {").unwrap();
        let (list, _) = list.split_once("PROGRAMS,").unwrap();
        let names: Vec<String> = list.split(',').map(|name| name.trim().to_lowercase()).collect();
        assert_eq!(names[..names.len() - 1], PROGRAMS);
    }

    #[test]
    fn the_timed_runs_stand_for_all() {
        let runs = Runs {
            count: 3_200,
            timed: 100,
            ns: 20_000,
            squares: 100 * (200 * 200 + 50 * 50),
            clock_ns: 2_000,
        };
        let total = runs.total();
        // 3,200 runs of 200 ns, and 300 readings of 20 ns.
        assert_eq!(total.ns, 640_000.0 + 6_000.0);
        let error = 3_200.0 * 1.96 * 50.0 / 10.0;
        assert!(
            (total.high() - total.ns - error).abs() < 1e-6 && (total.ns - total.low() - error).abs() < 1e-6
        );
    }

    #[test]
    fn cpus_add_up_and_parts_are_differences() {
        let early = Runs::of_cpus(&[[10, 0, 1, 100, 10_000, 20, 0, 0], [5, 0, 0, 0, 0, 0, 0, 0]]);
        let late = Runs::of_cpus(&[[30, 0, 2, 150, 12_500, 40, 0, 0], [5, 0, 1, 60, 3_600, 20, 0, 0]]);
        let part = late - early;
        assert_eq!(
            (part.count, part.timed, part.ns, part.squares, part.clock_ns),
            (20, 2, 110, 6_100, 40)
        );
        assert_eq!(Runs::default().total(), Estimate::default());
    }
}
