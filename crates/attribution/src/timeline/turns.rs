//! Waits in turns: a thread waits for a set time in a loop, until what it waits for is there.
//!
//! MySQL and MariaDB look each second whether a client that waits for a metadata lock is still there, for example. All
//! turns are one wait. Who ends the last turn ends all of them.

use logtrace_common::TimeRange;
use logtrace_events::{OffCpu, Wake};

use crate::causes::Wait;
use crate::causes::server_rules::ServerReason;
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::timeline::Timelines;
use crate::timeline::thread::Timeline;

/// Time within which a thread that looked goes on with its wait, also if it waits for a CPU.
pub(crate) const LOOK_NS: u64 = 100_000_000;

/// End of a wait in turns, of which a turn ended by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastTurn {
    /// A session, or a worker of a replica, ended it.
    EndedBy(Waker),
    /// The thread gave up, went on to something else, or was woken by a thread that serves nobody: what for, its own function
    /// says better.
    NotEnded,
    /// It had not ended with the thread's last record.
    Open,
}

impl Timelines {
    /// Returns how the wait ended of which `off` is a turn that ended by time, or `None` if the function in which the thread
    /// waited is not one that waits in turns.
    pub(crate) fn last_turn(&self, timeline: &Timeline, off: &OffCpu) -> Option<LastTurn> {
        let turns = self.wait_in_turns(timeline, off)?;
        let mut last_ns = off.in_ns;
        for next in timeline.off_cpu(TimeRange::new(off.in_ns, u64::MAX)) {
            timeline.horizon.note_query(next.in_ns, None);
            if next.wake == Wake::Preempted {
                last_ns = next.in_ns;
                continue;
            }
            let reason = self.server_reason(timeline, next);
            let is_same = match reason {
                Some((ServerReason::Known(known), _)) => known.wait == turns,
                Some((ServerReason::Function(_), _)) => false,
                // Too short to have a stack.
                None => true,
            };
            if !is_same || next.out_ns.saturating_sub(last_ns) > LOOK_NS {
                return Some(LastTurn::NotEnded);
            }
            match awaited(next, self.server_tgid) {
                Awaited::Thread(waker) if self.is_session(waker) => return Some(LastTurn::EndedBy(waker)),
                Awaited::Itself(Wait::TimedWait | Wait::Timer) => last_ns = next.in_ns,
                // A short stop for something else, such as a page of memory: the thread goes on to look.
                Awaited::Thread(_) | Awaited::Itself(_) if reason.is_none() => {}
                Awaited::Thread(_) | Awaited::Itself(_) => return Some(LastTurn::NotEnded),
            }
        }
        Some(LastTurn::Open)
    }

    fn is_session(&self, waker: Waker) -> bool {
        if let Some(timeline) = self.thread(waker.tid) {
            timeline.horizon.note_query(waker.at_ns, waker.commit_ns);
        }
        waker.commit_ns.is_some() || self.serves_connection(waker.tid)
    }

    /// Returns what a thread waited for in turns.
    fn wait_in_turns(&self, timeline: &Timeline, off: &OffCpu) -> Option<Wait> {
        match self.server_reason(timeline, off)?.0 {
            // What the log threads do meanwhile is known better.
            ServerReason::Known(known) if known.wait == Wait::RedoWriter => None,
            ServerReason::Known(known) if known.is_in_turns => Some(known.wait),
            ServerReason::Known(_) | ServerReason::Function(_) => None,
        }
    }
}
