//! Measurement of what leads to the programs, before and after the probes are attached.

use std::process;

use aya::programs::ProgramError;
use logtrace_common::Detail;

use crate::kernel_side::KernelSide;
use crate::kernel_side::attaching::{Link, attach_tracepoint};
use crate::overhead::calibration::Calibration;
use crate::overhead::call_page::{CALL, CallPage};
use crate::overhead::program_runs::{ANY_CALL, NOTHING};
use crate::overhead::timing::Timing;

/// Times before the probes are attached.
pub(crate) struct Calibrating {
    calls: CallTimes,
    trap: Timing,
}

/// Times of system calls.
#[derive(Clone, Copy)]
struct CallTimes {
    /// Time of a call that is never traced.
    untraced: Timing,
    /// Time of a call with traced entry and exit.
    traced: Timing,
}

/// Programs that a traced system call runs: at its entry and at its exit.
const ENDS: f64 = 2.0;

impl Calibrating {
    /// Takes the times before the probes are attached. Also returns a probe that does nothing any more: to detach it
    /// takes as long as to detach the others. What the kernel refuses is nothing in the account.
    pub(crate) fn begin(side: &mut KernelSide) -> (Self, Vec<Link>) {
        let (trap, links) = time_trap(side).unwrap_or_default();
        let calls = CallTimes::now();
        (Self { calls, trap }, links)
    }

    /// Takes the times after the probes are attached, and compares.
    pub(crate) fn end(self, side: &mut KernelSide, detail: Detail, all_calls: bool) -> Calibration {
        let now = CallTimes::now();
        let tracepoint = time_tracepoint(side).unwrap_or_default();
        let more = now.untraced.less(self.calls.untraced);
        let ends = now.traced.less(self.calls.traced).less(more);
        let without = Calibration {
            tracepoint,
            trap: self.trap,
            ..Calibration::default()
        };
        match (detail, all_calls) {
            (Detail::Commit, _) => without,
            // Programs at all system calls take the place of those at single ones.
            (_, true) => Calibration {
                slow_path: more.less(tracepoint.times(ENDS)),
                ..without
            },
            (_, false) => Calibration {
                slow_path: more,
                system_call: ends.times(1.0 / ENDS),
                ..without
            },
        }
    }
}

impl CallTimes {
    fn now() -> Self {
        Self {
            untraced: Timing::of(untraced_call),
            traced: Timing::of(traced_call),
        }
    }
}

fn untraced_call() {
    // It cannot fail.
    let _ = rustix::process::getppid();
}

/// Makes a system call that is traced, and that the kernel refuses at once: there is no such file.
fn traced_call() {
    #[expect(unsafe_code, reason = "rustix takes only files that there are")]
    // SAFETY: the call takes a number and touches no memory.
    let _ = unsafe { libc::fdatasync(-1) };
}

/// Times the trap of a uprobe in this process, with a program that does nothing.
fn time_trap(side: &mut KernelSide) -> Option<(Timing, Vec<Link>)> {
    let page = CallPage::map().ok()?;
    let without = Timing::of(|| page.call());
    let uprobes = side.uprobes;
    let program = side.program(NOTHING).ok()?;
    let links = uprobes.attach(program, &page.path(), &[CALL], process::id());
    let links = links.ok()?;
    let trap = Timing::of(|| page.call()).less(without);
    Some((trap, links))
}

/// Times the way to a program at a tracepoint, by attaching a second one.
fn time_tracepoint(side: &mut KernelSide) -> Result<Timing, ProgramError> {
    let program = side.program(ANY_CALL)?;
    let one = attach_tracepoint(program)?;
    let with_one = Timing::of(untraced_call);
    let two = attach_tracepoint(program)?;
    let with_two = Timing::of(untraced_call);
    drop((one, two));
    Ok(with_two.less(with_one))
}
