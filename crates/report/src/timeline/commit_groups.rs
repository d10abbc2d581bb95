//! Groups of commits as the server states them: who leads whom, and from when on.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, Member, SyncStage, Tid};
use rustc_hash::FxHashMap;

use crate::timeline::history::{History, Interval};

/// Leaders that are followed from a member to the head of its group: that of its flush queue, and that of the sync
/// stage. More of them contradict each other.
pub(crate) const MAX_LEADERS: usize = 4;

/// The place of one commit in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    /// From when it joined its queue until it ended; [`u64::MAX`] while it goes on.
    pub(crate) window: TimeRange,
    /// Who leads it, where it does not lead itself.
    pub(crate) leader: Option<Leader>,
}

/// Another thread that leads a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    /// The thread.
    pub(crate) tid: Tid,
    /// Start of the commit in which it leads, if it is in one.
    pub(crate) commit_ns: Option<u64>,
    /// Since when it leads.
    pub(crate) since_ns: u64,
}

/// The commit at the head of a group: by its thread, and by when it joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    tid: Tid,
    joined_ns: u64,
}

/// What the server stated up to now.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    threads: FxHashMap<Tid, Memberships>,
    /// Leaders of groups in the queue of MySQL's sync stage, and when they joined it.
    sync_queue: Vec<(Tid, u64)>,
}

#[derive(Debug, Default)]
struct Memberships {
    /// Of commits that ended.
    past: History<Membership>,
    /// Of the commit that goes on.
    now: Option<Membership>,
}

impl Head {
    /// Whether its group formed before the other one.
    pub(crate) fn is_before(self, other: Self) -> bool {
        self.joined_ns < other.joined_ns
    }
}

impl Groups {
    /// Takes the statement that a thread leads a member; `false` when it contradicts an earlier one.
    pub(crate) fn push_member(&mut self, member: &Member) -> bool {
        let of = self.threads.entry(member.tid).or_default();
        let known_until_ns = of
            .now
            .map_or(of.past.end_ns(), |now| now.window.start_ns.saturating_add(1));
        if member.joined_ns < known_until_ns {
            return false;
        }
        let leader = Leader {
            tid: member.leader,
            commit_ns: member.leader_commit_ns,
            since_ns: member.joined_ns,
        };
        of.now = Some(Membership {
            window: TimeRange::new(member.joined_ns, u64::MAX),
            leader: (member.leader != member.tid).then_some(leader),
        });
        true
    }

    /// Takes a step in MySQL's sync stage; `false` when it contradicts what was stated before.
    ///
    /// Who leads there leads all that joined the queue since it was taken last. One that is not in the queue syncs for
    /// another reason: it rotates the binlog.
    pub(crate) fn push_sync_stage(&mut self, step: &SyncStage) -> bool {
        let Some(now) = self.open_mut(step.tid) else {
            return true;
        };
        if !step.leads {
            let is_led = now.leader.is_some();
            if !is_led {
                self.leave_sync_queue(step.tid);
                self.sync_queue.push((step.tid, step.at_ns));
            }
            return !is_led;
        }
        // A thread is seen to join just before it does: the queue may have been taken in between.
        let came_too_late = now.leader.take_if(|leader| now.window.start_ns < leader.since_ns);
        if self.leave_sync_queue(step.tid) || came_too_late.is_some() {
            self.lead_sync_queue(step);
        }
        true
    }

    /// Takes the end of a commit.
    pub(crate) fn push_commit(&mut self, commit: &Commit) {
        self.leave_sync_queue(commit.tid);
        let Some(of) = self.threads.get_mut(&commit.tid) else {
            return;
        };
        let whole = TimeRange::new(commit.start_ns, commit.end_ns);
        if let Some(now) = of.now.take().filter(|now| whole.contains(now.window.start_ns)) {
            of.past.push(Membership {
                window: now.window.intersection(whole),
                ..now
            });
        }
    }

    /// Whether anything was stated.
    pub(crate) fn are_stated(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Forgets all: the tracer did not look for a while.
    pub(crate) fn interrupt(&mut self) {
        self.threads.clear();
        self.sync_queue.clear();
    }

    /// The place in a group of the commit in which a thread is at `at_ns`, once it has joined.
    pub(crate) fn at(&self, tid: Tid, at_ns: u64) -> Option<Membership> {
        let of = self.threads.get(&tid)?;
        let now = of.now.filter(|now| now.window.contains(at_ns));
        now.or_else(|| {
            of.past
                .overlapping(TimeRange::new(at_ns, at_ns.saturating_add(1)))
                .next()
                .copied()
        })
    }

    /// The places in groups that a thread had in `window`, in order.
    pub(crate) fn during(&self, tid: Tid, window: TimeRange) -> impl Iterator<Item = Membership> {
        let of = self.threads.get(&tid).into_iter();
        of.flat_map(move |of| of.past.overlapping(window).copied().chain(of.now))
            .filter(move |membership| !membership.window.intersection(window).is_empty())
    }

    /// The head of the group in which thread `tid` has this place; `None` where statements contradict each other, or
    /// its leader's own was not seen.
    pub(crate) fn head(&self, tid: Tid, membership: Membership) -> Option<Head> {
        let (mut tid, mut membership) = (tid, membership);
        for _ in 0..MAX_LEADERS {
            let Some(leader) = membership.leader else {
                return Some(Head {
                    tid,
                    joined_ns: membership.window.start_ns,
                });
            };
            tid = leader.tid;
            membership = self.at(tid, leader.since_ns)?;
        }
        None
    }

    fn open_mut(&mut self, tid: Tid) -> Option<&mut Membership> {
        self.threads.get_mut(&tid)?.now.as_mut()
    }

    /// Whether it was in the queue.
    fn leave_sync_queue(&mut self, tid: Tid) -> bool {
        let before = self.sync_queue.len();
        self.sync_queue.retain(|&(queued, _)| queued != tid);
        self.sync_queue.len() < before
    }

    fn lead_sync_queue(&mut self, step: &SyncStage) {
        for (tid, since_ns) in std::mem::take(&mut self.sync_queue) {
            if let Some(led) = self.open_mut(tid) {
                led.leader = Some(Leader {
                    tid: step.tid,
                    commit_ns: step.commit_ns,
                    since_ns,
                });
            }
        }
    }
}

impl Interval for Membership {
    fn window(&self) -> TimeRange {
        self.window
    }
}
