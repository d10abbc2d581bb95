//! How a walk uses what is remembered of the threads that it comes through, and adds to it.

use crate::attribution::walk::memory::What;
use crate::attribution::walk::{MAX_DEPTH, Walk, Way};
use crate::causes::cause::{Cause, Who};
use crate::causes::wakeup::Waker;
use logtrace_common::TimeRange;

impl Walk<'_> {
    /// Charges `window` to what the waker did in it, by what is remembered if possible.
    pub(crate) fn charge_to(&mut self, waker: Waker, window: TimeRange, way: Way) {
        if window.is_empty() {
            return;
        }
        let is_near = !self.is_noting && way.depth <= self.memory.near();
        if way.statements > 0 || is_near {
            self.follow(waker.tid, waker.commit_ns, window, way);
            return self.rouse(waker, window, way);
        }
        let past = self.memory.past_of(waker);
        if !self.is_noting {
            self.recall(past, window, way);
        } else if way.depth > MAX_DEPTH {
            self.is_lasting = false;
        } else {
            self.memory.note(window, What::Waited(past, way.depth));
        }
    }

    /// Charges `window` of a past that is remembered, and finds it out before where it is not.
    fn recall(&mut self, past: usize, window: TimeRange, way: Way) {
        if way.depth > MAX_DEPTH {
            return self.unexplained(window);
        }
        let waker = self.memory.whose(past);
        if self.find_out(past, window) {
            self.recall_pieces(past, window, way);
        } else {
            self.follow(waker.tid, waker.commit_ns, window, way);
        }
        self.rouse(waker, window, way);
    }

    /// Charges `window` of a past of which that is known.
    fn recall_pieces(&mut self, past: usize, window: TimeRange, way: Way) {
        let tid = self.memory.whose(past).tid;
        let is_own = tid == self.committer;
        let mut at = self.memory.first_piece(past, window.start_ns);
        while let Some(piece) = self.memory.piece(past, at) {
            let part = piece.window.intersection(window);
            if part.is_empty() {
                break;
            }
            match piece.what {
                What::Waited(past, further) => {
                    let depth = way.depth + further;
                    self.recall(past, part, Way { depth, ..way });
                }
                What::Charged(Cause::UNEXPLAINED, _) => self.unexplained(part),
                What::Charged(cause, stack) => {
                    let who = if is_own { Who::Own } else { cause.who };
                    self.charge(part, tid, Cause { who, ..cause }, stack);
                }
            }
            at += 1;
        }
    }

    /// Sees to it that the memory knows all of `window`; `false` where that is not to be remembered.
    fn find_out(&mut self, past: usize, window: TimeRange) -> bool {
        let Waker { tid, commit_ns, .. } = self.memory.whose(past);
        while let Some(unknown) = self.memory.unknown(past, window, self.wide_from_ns) {
            (self.is_noting, self.is_lasting) = (true, true);
            self.follow(tid, commit_ns, unknown, Way::default());
            self.is_noting = false;
            if !self.is_lasting {
                self.memory.drop_notes();
                return false;
            }
            self.memory.keep_notes(past, unknown);
        }
        true
    }
}
