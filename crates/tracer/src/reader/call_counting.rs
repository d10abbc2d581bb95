//! Counting of the machine's system calls, in a part of the time.

use rustix::time::ClockId;

use crate::clock::clock_ns;
use crate::kernel_side::KernelSide;
use crate::kernel_side::attaching::{Link, attach_tracepoint};
use crate::overhead::program_runs::ANY_CALL;

/// Counter of all system calls, attached for one round of the reader every few seconds: the program costs more than a system
/// call's slow path, which it is there to count.
#[derive(Default)]
pub(crate) struct CallCounting {
    /// Attached program and since when.
    attached: Option<(Link, u64)>,
    /// Time in which system calls were counted, up to the last round in which they were.
    counted_ns: u64,
    /// Time of the last change.
    changed_ns: u64,
}

/// Time between two counts.
const EVERY_NS: u64 = 4_000_000_000;

impl CallCounting {
    /// Starts or ends a count if it is time.
    pub(crate) fn round_done(&mut self, side: &mut KernelSide) {
        if self.attached.is_some() {
            self.end();
        } else if clock_ns(ClockId::Monotonic) - self.changed_ns >= EVERY_NS {
            self.begin(side);
        }
    }

    /// Starts a count, so that a short part has one too. If the kernel refuses, system calls are not in the account.
    pub(crate) fn begin(&mut self, side: &mut KernelSide) {
        self.end();
        let link = side.program(ANY_CALL).and_then(attach_tracepoint);
        self.changed_ns = clock_ns(ClockId::Monotonic);
        self.attached = link.ok().map(|link| (link, self.changed_ns));
    }

    pub(crate) fn end(&mut self) {
        if let Some((link, since_ns)) = self.attached.take() {
            self.changed_ns = clock_ns(ClockId::Monotonic);
            self.counted_ns += self.changed_ns - since_ns;
            drop(link);
        }
    }

    /// Returns the time in which system calls were counted.
    pub(crate) fn counted_ns(&self) -> u64 {
        let now_ns = clock_ns(ClockId::Monotonic);
        let current = self.attached.as_ref();
        self.counted_ns + current.map_or(0, |(_, since_ns)| now_ns - since_ns)
    }
}
