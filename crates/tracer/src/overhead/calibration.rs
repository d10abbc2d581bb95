//! CPU time around the programs, as calibrated on this machine; pure.
//!
//! The trap of a uprobe, the way from a tracepoint, and the slow path that all system calls take while one is traced
//! cannot be timed in place. So loops are timed before and after the probes are attached, which adds half a second to the
//! start of the trace.

use crate::overhead::cost::Estimate;
use crate::overhead::timing::Timing;

/// Way from an event to a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ProgramEntry {
    /// Tracepoint with typed arguments.
    #[default]
    Tracepoint,
    /// Tracepoint of one system call.
    SystemCall,
    /// Trap of a uprobe.
    Trap,
    /// Interrupt of a CPU's clock. It comes without a program, too.
    Interrupt,
}

/// Times of one event each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Calibration {
    /// Way from a tracepoint with typed arguments to a program and back.
    pub(crate) tracepoint: Timing,
    /// Way from the tracepoint of a system call to a program and back.
    pub(crate) system_call: Timing,
    /// Way from a call in a process, through a uprobe's trap, to a program and back.
    pub(crate) trap: Timing,
    /// Slow path of a system call that is not traced, taken while any other one is.
    pub(crate) slow_path: Timing,
}

impl Calibration {
    /// Returns the time from the event to the program and back, of `count` runs.
    pub(crate) fn entries(&self, entry: ProgramEntry, count: u64) -> Estimate {
        match entry {
            ProgramEntry::Tracepoint => estimate(self.tracepoint, count as f64),
            ProgramEntry::SystemCall => estimate(self.system_call, count as f64),
            ProgramEntry::Trap => estimate(self.trap, count as f64),
            ProgramEntry::Interrupt => Estimate::default(),
        }
    }

    /// Returns the time that `count` system calls took longer.
    pub(crate) fn slow_paths(&self, count: f64) -> Estimate {
        estimate(self.slow_path, count)
    }
}

/// A server's own code displaces a part of what a probe needs from the caches: more than nothing, less than all.
fn estimate(timing: Timing, count: f64) -> Estimate {
    Estimate::between(timing.warm_ns, timing.cold_ns, count)
}
