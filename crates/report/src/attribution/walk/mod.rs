//! Why one commit took its time: every nanosecond of it is charged to one cause.
//!
//! The walk goes through the commit's own thread from start to end. Where that thread was blocked until another
//! thread of the server woke it, the same stretch of time is looked up in the waker's timeline, and so on: a
//! follower's wait becomes its leader's fsync, a lock wait becomes the holder's work. What a stretch is charged to is
//! decided on the thread where the walk ends, so causes never overlap and always add up.
//!
//! The last waker need not be the one that was waited for all the time: locks are not fair. Where it was not there yet, the
//! thread that it queued behind takes its place.
//!
//! Where the server states who leads a thread in a group of commits, that thread takes the waker's place.

mod late_waker;
pub mod memory;
mod recall;

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Commit, IoOp, OffCpu, Tid, Wake};

use crate::attribution::group_leader::{led, name_previous_groups, turns_back};
use crate::attribution::walk::memory::{Memory, What};
use crate::causes::cause::{Cause, Wait, Who};
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::timeline::thread::{Stretch, Timeline, TracedIo};
use crate::timeline::threads::Timelines;

/// Wake-ups that are followed back from a commit; what lies further is unexplained.
///
/// From a follower over its leader, the leader of the group before, and the redo log's threads there are four. But
/// the members of a group also wake each other one by one, through the lock that all need once their leader has woken
/// them, so that a chain gets as long as the group: with 64 connections and a bound of 8, an eighth of the commit
/// time of MySQL 9.7 was unexplained, and nothing with a bound of 64.
pub(crate) const MAX_DEPTH: u32 = 256;

/// Statements of the server that are followed on one way; from there on the wake-ups tell. Each group in front takes one or
/// two. Statements and wake-ups may lead in a circle where it is not known in which group a waker was.
const MOST_STATEMENTS: u32 = 16;

/// A part of a commit, and what it is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its first nanosecond.
    pub start_ns: u64,
    /// The nanosecond after its last.
    pub end_ns: u64,
    /// The thread whose time it is; the commit's own where nothing explains it.
    pub tid: Tid,
    /// What it is charged to.
    pub cause: Cause,
    /// The kernel stack at the block, for a wait inside an I/O system call.
    pub stack: Option<u32>,
}

/// Replaces `segments` by those of `commit`: in order, none empty, without gap or overlap, from its start to its end.
///
/// The commit and all records that came before it must have been pushed to `timelines`, to which `memory` belongs. The
/// buffer is the caller's so that explaining allocates nothing once it has grown.
pub fn explain(commit: &Commit, timelines: &Timelines, memory: &mut Memory, segments: &mut Vec<Segment>) {
    let statements = if timelines.groups().are_stated() {
        MOST_STATEMENTS
    } else {
        0
    };
    explain_by(statements, commit, timelines, memory, segments);
    name_previous_groups(commit, timelines, segments);
}

/// The same by wake-ups alone, as if the server had stated nothing.
pub(crate) fn explain_by_wakers(
    commit: &Commit,
    timelines: &Timelines,
    memory: &mut Memory,
    segments: &mut Vec<Segment>,
) {
    explain_by(0, commit, timelines, memory, segments);
}

fn explain_by(
    statements: u32,
    commit: &Commit,
    timelines: &Timelines,
    memory: &mut Memory,
    segments: &mut Vec<Segment>,
) {
    segments.clear();
    memory.revise(timelines);
    let window = TimeRange::new(commit.start_ns, commit.end_ns);
    let mut walk = Walk {
        timelines,
        memory,
        committer: commit.tid,
        wide_from_ns: window.start_ns.saturating_sub(window.length_ns()),
        segments,
        is_noting: false,
        is_lasting: true,
    };
    walk.follow(commit.tid, None, window, Way { depth: 0, statements });
}

/// A way through the threads that a commit waited for.
pub(crate) struct Walk<'a> {
    pub(crate) timelines: &'a Timelines,
    pub(crate) memory: &'a mut Memory,
    pub(crate) committer: Tid,
    /// From when on more may be found out than the commit needs: others that wait for the same may have begun earlier.
    pub(crate) wide_from_ns: u64,
    pub(crate) segments: &'a mut Vec<Segment>,
    /// What is found is not charged to the commit, but noted in the memory, and not followed any further.
    pub(crate) is_noting: bool,
    /// Whether what is noted is so for all who ask, until the timelines' revision changes.
    pub(crate) is_lasting: bool,
}

impl Segment {
    /// Its time.
    pub(crate) fn window(&self) -> TimeRange {
        TimeRange::new(self.start_ns, self.end_ns)
    }
}

/// How the walk came to where it is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Way {
    /// Wake-ups between it and the commit.
    pub(crate) depth: u32,
    /// How many of the server's statements may be followed further on.
    pub(crate) statements: u32,
}

/// Whose time the walk is in.
#[derive(Clone, Copy)]
struct Place {
    tid: Tid,
    who: Who,
    way: Way,
}

impl Way {
    pub(crate) fn further(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl Walk<'_> {
    /// Charges `window`, in which the thread of `place` was blocked until `waker` woke it.
    fn wait_in_place(&mut self, waker: Waker, window: TimeRange, off: &OffCpu, place: Place) {
        let way = place.way.further();
        let Some(statements) = way.statements.checked_sub(1) else {
            return self.wait_for(waker, window, way);
        };
        let mut rest = window;
        for led in led(self.timelines, place.tid, off, waker) {
            self.wait_for(led.by, rest.before(led.until_ns), Way { statements, ..way });
            rest = rest.since(led.until_ns);
        }
        let statements = if turns_back(self.timelines, place.tid, off, waker) {
            0
        } else {
            way.statements
        };
        self.wait_for(waker, rest, Way { statements, ..way });
    }

    /// Charges `window` to what thread `tid` did in it; `commit_ns` is the start of a commit that the thread was in
    /// at the end of `window`.
    pub(crate) fn follow(&mut self, tid: Tid, commit_ns: Option<u64>, window: TimeRange, way: Way) {
        let Some(timeline) = self.timelines.thread(tid) else {
            self.is_lasting = false;
            return self.unexplained(window);
        };
        if way.depth > MAX_DEPTH {
            return self.unexplained(window);
        }
        if self.is_noting {
            timeline.ask(window.end_ns, commit_ns);
        }
        let known_from_ns = timeline.known_from_ns();
        self.unexplained(window.before(known_from_ns));
        let known = window.since(known_from_ns);
        if tid == self.committer && !self.is_noting {
            let who = Who::Own;
            self.work(timeline, known, Place { tid, who, way });
        } else {
            self.work_of_another((tid, timeline), commit_ns, known, way);
        }
    }

    /// The same for a thread that is not the commit's own: its commits are a leader's work.
    fn work_of_another(
        &mut self,
        (tid, timeline): (Tid, &Timeline),
        commit_ns: Option<u64>,
        window: TimeRange,
        way: Way,
    ) {
        let who = if timeline.serves_connection() {
            Who::Session
        } else {
            Who::Background
        };
        let outside = Place { tid, who, way };
        let inside = Place {
            who: Who::Leader,
            ..outside
        };
        let open = commit_ns.map(|start_ns| TimeRange::new(start_ns, window.end_ns));
        let mut at_ns = window.start_ns;
        for commit in timeline.commits(window).chain(open) {
            let commit = commit.intersection(window).since(at_ns);
            if commit.is_empty() {
                continue;
            }
            self.work(timeline, TimeRange::new(at_ns, commit.start_ns), outside);
            self.work(timeline, commit, inside);
            at_ns = commit.end_ns;
        }
        self.work(timeline, window.since(at_ns), outside);
    }

    /// A thread's I/O system calls, and the time between them.
    fn work(&mut self, timeline: &Timeline, window: TimeRange, place: Place) {
        if window.is_empty() {
            return;
        }
        let mut at_ns = window.start_ns;
        for io in timeline.io(window) {
            let inside = io.window.intersection(window);
            self.outside_io(timeline, TimeRange::new(at_ns, inside.start_ns), place);
            self.inside_io(timeline, io, inside, place);
            at_ns = inside.end_ns;
        }
        self.outside_io(timeline, window.since(at_ns), place);
    }

    /// Inside a system call on a file, the kernel stack at a block tells what was waited for.
    fn inside_io(&mut self, timeline: &Timeline, io: &TracedIo, window: TimeRange, place: Place) {
        let (tid, who, io) = (place.tid, place.who, Some(io.target));
        timeline.stretches(window, |stretch| match stretch {
            Stretch::OnCpu(window) => self.ran(window, tid, cause(who, io, Wait::OnCpu)),
            Stretch::RunQueue(window) => self.charge(window, tid, cause(who, io, Wait::RunQueue), None),
            Stretch::Blocked(window, off) => {
                let wait = self.timelines.stacks().wait(off.stack);
                let queued_ns = self.queued_until_ns(wait, off);
                self.charge(
                    window.before(queued_ns),
                    tid,
                    cause(who, io, Wait::FlushQueue),
                    off.stack,
                );
                self.charge(window.since(queued_ns), tid, cause(who, io, wait), off.stack);
            }
        });
    }

    /// Until when a block that ends with a device's flush waited for another flush; 0 for all other blocks.
    fn queued_until_ns(&self, wait: Wait, off: &OffCpu) -> u64 {
        match off.wake {
            Wake::By { at_ns, .. } if wait == Wait::DeviceFlush => self
                .timelines
                .flushes()
                .queued_until_ns(TimeRange::new(off.out_ns, at_ns)),
            _ => 0,
        }
    }

    /// Outside of one, the waker tells.
    fn outside_io(&mut self, timeline: &Timeline, window: TimeRange, place: Place) {
        let Place { tid, who, .. } = place;
        timeline.stretches(window, |stretch| match stretch {
            Stretch::OnCpu(window) => self.ran(window, tid, cause(who, None, Wait::OnCpu)),
            Stretch::RunQueue(window) => self.charge(window, tid, cause(who, None, Wait::RunQueue), None),
            Stretch::Blocked(window, _) if window.is_empty() => {}
            Stretch::Blocked(window, off) => match awaited(off, self.timelines.server_tgid()) {
                Awaited::Thread(waker) => self.wait_in_place(waker, window, off, place),
                Awaited::Itself(Wait::Unexplained) => self.unexplained(window),
                Awaited::Itself(wait) => {
                    self.charge(window, tid, cause(who, None, timeline.meant(wait)), None);
                }
            },
        });
    }

    /// Charges a stretch in which nothing was seen of a thread: it ran, unless the record of a wait was lost.
    fn ran(&mut self, window: TimeRange, tid: Tid, on_cpu: Cause) {
        if self.timelines.lost().meet(window) {
            // All of it is, also where only another part meets a loss, that another commit did not wait for.
            self.is_lasting = false;
            self.unexplained(window);
        } else {
            self.charge(window, tid, on_cpu, None);
        }
    }

    pub(crate) fn unexplained(&mut self, window: TimeRange) {
        self.charge(window, self.committer, Cause::UNEXPLAINED, None);
    }

    /// Charges a stretch of a thread, together with the one before when that has the same cause.
    pub(crate) fn charge(&mut self, window: TimeRange, tid: Tid, cause: Cause, stack: Option<u32>) {
        if window.is_empty() {
            return;
        }
        if self.is_noting {
            return self.memory.note(window, What::Charged(cause, stack));
        }
        match self.segments.last_mut() {
            Some(last)
                if last.end_ns == window.start_ns
                    && (last.tid, last.cause, last.stack) == (tid, cause, stack) =>
            {
                last.end_ns = window.end_ns;
            }
            _ => self.segments.push(Segment {
                start_ns: window.start_ns,
                end_ns: window.end_ns,
                tid,
                cause,
                stack,
            }),
        }
    }
}

fn cause(who: Who, io: Option<(FileClass, IoOp)>, wait: Wait) -> Cause {
    Cause { who, io, wait }
}
