//! Run-time statistics of BPF programs from the kernel, enabled for a small part of the time.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use aya::programs::Program;
use aya::sys::{Stats, enable_stats};
use logtrace_common::TimeRange;
use rustix::time::ClockId;

use crate::clock::clock_ns;

/// Switch of the statistics. While they are enabled, the kernel reads two clocks around each run of each program: 130
/// ns a run, a third of the run time of the programs themselves. They are enabled in one of [`ROUNDS`] rounds of the
/// reader, and the records made in that time stand for all.
///
/// The reader runs when a CPU is idle, so that the time between two of its rounds is not that between two of its looks at
/// the rings. Only the time of a record shows whether it was made while the statistics were enabled.
#[derive(Debug)]
pub(crate) struct Statistics {
    /// Number of rounds until the next change.
    rounds_left: u32,
    /// Guard that keeps the statistics enabled, and since when; `None` if they are disabled or the kernel refuses them.
    on: Option<(OwnedFd, u64)>,
    /// Earlier times with statistics of which records are still to be read.
    past: Vec<TimeRange>,
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
            past: Vec::new(),
            sampled: 0,
        };
        statistics.turn_on();
        statistics
    }

    /// Ends a round of the reader.
    pub(crate) fn round_done(&mut self) {
        self.turn_off();
        match self.rounds_left.checked_sub(1) {
            Some(left) => self.rounds_left = left,
            None => self.turn_on(),
        }
    }

    /// Starts a new part with the statistics enabled, so that a short part has some too.
    pub(crate) fn begin_part(&mut self) {
        self.turn_off();
        self.turn_on();
    }

    /// Counts those of the next records for which there are statistics. All of them were made before `until_ns`;
    /// `made_within` returns how many were made in a time.
    pub(crate) fn count(&mut self, until_ns: u64, made_within: impl Fn(TimeRange) -> u64) {
        let now = self.on.as_ref();
        let now = now.map(|(_, since_ns)| TimeRange::new(*since_ns, u64::MAX));
        self.sampled += self
            .past
            .iter()
            .chain(&now)
            .map(|&window| made_within(window))
            .sum::<u64>();
        self.past.retain(|window| window.end_ns > until_ns);
    }

    /// Returns the number of records that were made while the statistics were enabled.
    pub(crate) fn sampled(&self) -> u64 {
        self.sampled
    }

    fn turn_on(&mut self) {
        let (hold, at_ns) = timed(|| enable_stats(Stats::RunTime).ok());
        self.on = hold.map(|hold| (hold, at_ns));
        self.rounds_left = ROUNDS - 2;
    }

    fn turn_off(&mut self) {
        if let Some((hold, since_ns)) = self.on.take() {
            let ((), at_ns) = timed(|| drop(hold));
            self.past.push(TimeRange::new(since_ns, at_ns));
        }
    }
}

/// Does something and returns the middle of the time that it took: the kernel switches somewhere in between, and the
/// reader may lose the CPU before or after.
fn timed<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before_ns = clock_ns(ClockId::Monotonic);
    let done = work();
    (done, before_ns.midpoint(clock_ns(ClockId::Monotonic)))
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
    fn records_count_where_they_were_made_in_whichever_round_they_are_read() {
        let mut statistics = Statistics {
            rounds_left: 0,
            on: None,
            past: vec![TimeRange::new(10, 20), TimeRange::new(40, 50)],
            sampled: 0,
        };
        let mut count = |times: &[u64], until_ns| {
            statistics.count(until_ns, |window| {
                times.iter().filter(|&&at_ns| window.contains(at_ns)).count() as u64
            });
            (statistics.sampled(), statistics.past.len())
        };
        assert_eq!(count(&[9, 10, 12], 15), (2, 2));
        assert_eq!(count(&[19, 20, 30, 45], 46), (4, 1));
        assert_eq!(count(&[49, 50], u64::MAX), (5, 0));
    }

    #[test]
    fn misses_are_read_from_the_kernels_text() {
        let info = "pos:\t0\nprog_type:\t5\nrun_cnt:\t0\nrecursion_misses:\t12\nverified_insns:\t9\n";
        assert_eq!(misses_in(info), 12);
        assert_eq!(misses_in("pos:\t0\n"), 0);
    }
}
