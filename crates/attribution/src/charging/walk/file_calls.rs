//! Time inside system calls on files.

use logtrace_common::TimeRange;
use logtrace_events::{OffCpu, Wake};

use crate::causes::cpu_wait::run_queue;
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::causes::{Cause, Wait};
use crate::charging::walk::path::Worker;
use crate::charging::walk::state::Walk;
use crate::timeline::frames::Frames;
use crate::timeline::thread::{Places, Stretch, Timeline, TracedIo};

impl Walk<'_> {
    /// Charges time inside a system call on a file. The kernel stack at a block decides what the thread waited for.
    pub(crate) fn charge_io(
        &mut self,
        timeline: &Timeline,
        places: &mut Places,
        io: &TracedIo,
        range: TimeRange,
        worker: Worker,
    ) {
        let cause = |wait| Cause {
            who: worker.who,
            io: Some(io.target),
            wait,
        };
        timeline.stretches_from(places, range, |stretch| match stretch {
            Stretch::OnCpu(range) => self.charge_cpu(range, worker.tid, cause(Wait::OnCpu)),
            Stretch::RunQueue(range, off) => {
                let waited = cause(run_queue(off.cpu_wait));
                self.charge(range, worker.tid, waited, self.timelines.names.cpu_holder(off));
            }
            Stretch::Blocked(range, off) => self.charge_block(io, off, range, worker),
        });
    }

    /// Charges `range`, in which a thread was blocked in `io`.
    fn charge_block(&mut self, io: &TracedIo, off: &OffCpu, range: TimeRange, worker: Worker) {
        let wait = self.timelines.names.kernel_wait(off.stack);
        let stack = off.stack.map(Frames::Kernel);
        let charge = |walk: &mut Self, range, wait| {
            let io = Some(io.target);
            let who = worker.who;
            walk.charge(range, worker.tid, Cause { who, io, wait }, stack);
        };
        match (wait, awaited(off, self.timelines.server_tgid)) {
            (Wait::DeviceFlush, _) => {
                let queued_ns = self.queued_until_ns(off);
                charge(self, range.before(queued_ns), Wait::FlushQueue);
                charge(self, range.since(queued_ns), wait);
            }
            (Wait::FileSystemLock, Awaited::Thread(waker)) => {
                let held = self.held_in_call(waker, range);
                charge(self, range.before(held.start_ns), wait);
                self.wait_for((waker, None), held, worker.path.extended());
                charge(self, range.since(held.end_ns), wait);
            }
            _ => charge(self, range, wait),
        }
    }

    /// Returns until when a flush of a device waited for another one.
    fn queued_until_ns(&self, off: &OffCpu) -> u64 {
        match off.wake {
            Wake::By { at_ns, .. } => self
                .timelines
                .flushes
                .queued_until_ns(TimeRange::new(off.out_ns, at_ns)),
            Wake::Unknown | Wake::Preempted => 0,
        }
    }

    /// Returns the part of `range` in which the waker was in the call in which it released a lock of the file system; at
    /// the end of `range` and empty if it was in no call on a file.
    fn held_in_call(&self, waker: Waker, range: TimeRange) -> TimeRange {
        let holder = self.timelines.thread(waker.tid);
        holder.inspect(|holder| holder.horizon.note_query(waker.at_ns, waker.commit_ns));
        let released = TimeRange::new(waker.at_ns.saturating_sub(1), waker.at_ns);
        let call = holder.and_then(|holder| holder.io(released).last());
        call.map_or(range.since(range.end_ns), |call| call.range.intersection(range))
    }
}
