//! Waits for MySQL's log threads that end by time.
//!
//! Sessions of a server with `innodb_log_writer_threads=ON` do not sleep until their redo is on disk: they look for it
//! repeatedly, up to a millisecond apart (log_wait_for_flush() in storage/innobase/log/log0write.cc), and nobody wakes them. What the
//! log threads do with the redo log meanwhile is what they wait for.

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::Tid;

use crate::causes::{Cause, Wait, Who};
use crate::charging::walk::path::Worker;
use crate::charging::walk::state::Walk;
use crate::timeline::frames::Frames;

impl Walk<'_> {
    /// Charges `range`, in which `worker` waited for the log threads. `threads` are those that may be at work, the one that
    /// counts most first. Time in which none of them writes or syncs the redo log is charged to the log threads as such.
    pub(crate) fn wait_for_log_threads(
        &mut self,
        threads: &[Option<Tid>],
        range: TimeRange,
        worker: Worker,
        frames: Option<Frames>,
    ) {
        if range.is_empty() {
            return;
        }
        let timelines = self.timelines;
        let Some((&tid, others)) = threads.split_first() else {
            let cause = Cause {
                who: worker.who,
                io: None,
                wait: Wait::RedoWriter,
            };
            return self.charge(range, worker.tid, cause, frames);
        };
        let Some(tid) = tid else {
            return self.wait_for_log_threads(others, range, worker, frames);
        };
        let thread = timelines.thread(tid);
        thread.inspect(|thread| thread.horizon.note_query(range.end_ns, None));
        let at_work = Worker {
            tid,
            who: Who::Background,
            path: worker.path.extended(),
        };
        let mut at_ns = range.start_ns;
        for (thread, io) in thread
            .into_iter()
            .flat_map(|thread| thread.io(range).map(move |io| (thread, io)))
        {
            let inside = io.range.intersection(range).since(at_ns);
            if io.target.0 == FileClass::Redo && !inside.is_empty() {
                let idle = TimeRange::new(at_ns, inside.start_ns);
                self.wait_for_log_threads(others, idle, worker, frames);
                let places = &mut thread.places(inside.start_ns);
                self.charge_io(thread, places, io, inside, at_work);
                at_ns = inside.end_ns;
            }
        }
        self.wait_for_log_threads(others, range.since(at_ns), worker, frames);
    }
}
