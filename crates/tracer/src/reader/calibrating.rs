//! Measurement of what leads to the programs, before and after the probes are attached.

use std::process;

use libbpf_rs::Link;
use logtrace_common::Detail;

use crate::kernel_side::object::KernelSide;
use crate::overhead::calibration::Calibration;
use crate::overhead::call_page::{CALL, CallPage};
use crate::overhead::program_runs::{ANY_CALL, NOTHING};
use crate::overhead::timing::Timing;
use crate::probes::links::attach_tracepoint;

/// Times before the probes are attached.
pub(crate) struct Calibrating {
    call: Timing,
    trap: Timing,
}

impl Calibrating {
    /// Takes the times before the probes are attached. Also returns a probe that does nothing any more: to detach it
    /// takes as long as to detach the others. What the kernel refuses is nothing in the account.
    pub(crate) fn begin(side: &KernelSide) -> (Self, Vec<Link>) {
        let (trap, links) = time_trap(side).unwrap_or_default();
        let call = Timing::of(untraced_call);
        (Self { call, trap }, links)
    }

    /// Takes the times after the probes are attached, and compares.
    pub(crate) fn end(self, side: &KernelSide, detail: Detail) -> Calibration {
        let now = Timing::of(untraced_call);
        let tracepoint = time_tracepoint(side).unwrap_or_default();
        let slow_path = match detail {
            Detail::Commit => Timing::default(),
            Detail::Io | Detail::Full => now.less(self.call).less(tracepoint),
        };
        Calibration {
            tracepoint,
            trap: self.trap,
            slow_path,
        }
    }
}

fn untraced_call() {
    // It cannot fail.
    let _ = rustix::process::getppid();
}

/// Times the trap of a uprobe in this process, with a program that does nothing.
fn time_trap(side: &KernelSide) -> Option<(Timing, Vec<Link>)> {
    let page = CallPage::map().ok()?;
    let without = Timing::of(|| page.call());
    let program = side.program(NOTHING)?;
    let links = side
        .uprobes
        .attach(&program, &page.path(), &[CALL], process::id());
    let links = links.ok()?;
    let trap = Timing::of(|| page.call()).less(without);
    Some((trap, links))
}

/// Times the way to a program at a tracepoint, by attaching a second one.
fn time_tracepoint(side: &KernelSide) -> Option<Timing> {
    let program = side.program(ANY_CALL)?;
    let one = attach_tracepoint(&program).ok()?;
    let with_one = Timing::of(untraced_call);
    let two = attach_tracepoint(&program).ok()?;
    let with_two = Timing::of(untraced_call);
    drop((one, two));
    Some(with_two.less(with_one))
}
