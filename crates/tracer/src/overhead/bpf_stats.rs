//! The kernel's run-time statistics of BPF programs, kept on for a small part of the time.

use std::os::fd::OwnedFd;

use aya::programs::Program;
use aya::sys::{Stats, enable_stats};

/// Reads two clocks around every run of every program of the machine while it is on: 130 ns a run, which is a third of
/// what the programs themselves take. So it is on for one round of the reader in [`ROUNDS`], and the records of that
/// round stand for all.
#[derive(Debug)]
pub(crate) struct Statistics {
    /// Rounds until the next change.
    rounds_left: u32,
    /// Keeps them on, with the number of records read before; `None` where they are off, or the kernel refuses them.
    on: Option<(OwnedFd, u64)>,
    /// Records that were made while they were on.
    sampled: u64,
}

/// Turning them on and off patches the kernel's code, 0.6 ms for both: once a second is often enough.
const ROUNDS: u32 = 20;

impl Statistics {
    /// Begins with a round in which they are on.
    pub(crate) fn start() -> Self {
        let mut statistics = Self {
            rounds_left: 0,
            on: None,
            sampled: 0,
        };
        statistics.turn_on(0);
        statistics
    }

    /// Another round of the reader is over, with `records` read since it started.
    pub(crate) fn round_done(&mut self, records: u64) {
        self.turn_off(records);
        match self.rounds_left.checked_sub(1) {
            Some(left) => self.rounds_left = left,
            None => self.turn_on(records),
        }
    }

    /// Begins a part whose statistics are to be told from what was before: with a round in which they are on, so
    /// that a short part has some too.
    pub(crate) fn begin_part(&mut self, records: u64) {
        self.turn_off(records);
        self.turn_on(records);
    }

    /// How many of the `records` read since it started were made while they were on.
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

/// How often a program ran while they were on, and for how many nanoseconds.
pub(crate) fn of_program(program: &Program) -> (u64, u64) {
    let info = match program {
        Program::BtfTracePoint(program) => program.info(),
        Program::TracePoint(program) => program.info(),
        Program::UProbe(program) => program.info(),
        _ => return (0, 0),
    };
    info.map_or((0, 0), |info| {
        let nanoseconds = u64::try_from(info.run_time().as_nanos()).unwrap_or(u64::MAX);
        (info.run_count(), nanoseconds)
    })
}
