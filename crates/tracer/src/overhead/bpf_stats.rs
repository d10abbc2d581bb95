//! Run-time statistics of BPF programs from the kernel, enabled for a small part of the time.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use aya::programs::Program;
use aya::sys::{Stats, enable_stats};

/// Switch of the statistics. While they are enabled, the kernel reads two clocks around each run of each program: 130
/// ns a run, a third of the run time of the programs themselves. They are enabled in one of [`ROUNDS`] rounds of the
/// reader, and the records of that round stand for all.
#[derive(Debug)]
pub(crate) struct Statistics {
    /// Number of rounds until the next change.
    rounds_left: u32,
    /// Guard that keeps the statistics enabled, with the number of records read before; `None` if they are disabled or
    /// the kernel refuses them.
    on: Option<(OwnedFd, u64)>,
    /// Number of records made while the statistics were enabled.
    sampled: u64,
}

/// Number of rounds in a cycle. Switching the statistics patches the code of the kernel (0.6 ms for on and off), so
/// once a second is often enough.
const ROUNDS: u32 = 20;

impl Statistics {
    /// Starts with the statistics enabled.
    pub(crate) fn start() -> Self {
        let mut statistics = Self {
            rounds_left: 0,
            on: None,
            sampled: 0,
        };
        statistics.turn_on(0);
        statistics
    }

    /// Ends a round of the reader. `records` is the number of records read so far.
    pub(crate) fn round_done(&mut self, records: u64) {
        self.turn_off(records);
        match self.rounds_left.checked_sub(1) {
            Some(left) => self.rounds_left = left,
            None => self.turn_on(records),
        }
    }

    /// Starts a new part with the statistics enabled, so that a short part has some too.
    pub(crate) fn begin_part(&mut self, records: u64) {
        self.turn_off(records);
        self.turn_on(records);
    }

    /// Returns how many of the `records` read so far were made while the statistics were enabled.
    pub(crate) fn sampled(&self, records: u64) -> u64 {
        self.sampled + self.on.as_ref().map_or(0, |(_, before)| records - before)
    }

    fn turn_on(&mut self, records: u64) {
        self.on = enable_stats(Stats::RunTime).ok().map(|hold| (hold, records));
        self.rounds_left = ROUNDS - 2;
    }

    fn turn_off(&mut self, records: u64) {
        self.sampled = self.sampled(records);
        self.on = None;
    }
}

/// Returns the number of runs of a program and their time in nanoseconds, both while the statistics were enabled.
pub(crate) fn of_program(program: &Program) -> (u64, u64) {
    let info = match program {
        Program::BtfTracePoint(program) => program.info(),
        Program::TracePoint(program) => program.info(),
        Program::UProbe(program) => program.info(),
        Program::PerfEvent(program) => program.info(),
        _ => return (0, 0),
    };
    info.map_or((0, 0), |info| {
        let nanoseconds = u64::try_from(info.run_time().as_nanos()).unwrap_or(u64::MAX);
        (info.run_count(), nanoseconds)
    })
}

/// Returns the number of events for which the kernel skipped a program, because a program was running or a map was in use
/// on that CPU (kernel/trace/bpf_trace.c, `trace_call_bpf()`); 0 before Linux 5.12.
pub(crate) fn misses(program: &Program) -> u64 {
    let Ok(fd) = program.fd() else { return 0 };
    let path = format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd());
    fs::read_to_string(path).map_or(0, |info| misses_in(&info))
}

fn misses_in(info: &str) -> u64 {
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    let misses = lines.find(|(name, _)| *name == "recursion_misses");
    misses
        .and_then(|(_, count)| count.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_read_from_the_kernels_text() {
        let info = "pos:\t0\nprog_type:\t5\nrun_cnt:\t0\nrecursion_misses:\t12\nverified_insns:\t9\n";
        assert_eq!(misses_in(info), 12);
        assert_eq!(misses_in("pos:\t0\n"), 0);
    }
}
