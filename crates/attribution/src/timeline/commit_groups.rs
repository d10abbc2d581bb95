//! Groups of commits as the server states them: the leader of each commit, and since when it leads.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, FlushStage, Io, Member, QueueEntry, Tid};

use crate::timeline::history::{History, ThreadInterval};
use crate::timeline::thread_table::ThreadTable;

/// Limit on leaders from a member to the head of its group: the leader of its flush queue and that of the sync stage. A
/// longer chain contradicts itself.
pub(crate) const MAX_LEADERS: usize = 4;

/// Limit on commits in the queue of MySQL's flush stage, and on groups in that of the sync stage. More are there only if
/// nobody is seen to take them.
const MAX_QUEUED: usize = 16_384;

/// Place of one commit in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    /// Time from entering the queue until the commit ended; the end is [`u64::MAX`] while it goes on.
    pub(crate) range: TimeRange,
    /// Leader, unless the commit leads itself.
    pub(crate) leader: Option<Leader>,
    /// Head of the group, for a commit that has ended; its leaders do not change any more.
    head: Option<GroupHead>,
}

/// Thread that leads the commit of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    /// The thread.
    pub(crate) tid: Tid,
    /// Start of the commit in which it leads, if it is in one.
    pub(crate) commit_ns: Option<u64>,
    /// Start of its lead.
    pub(crate) since_ns: u64,
}

/// Commit at the head of a group, by its thread and by the time when it entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupHead {
    tid: Tid,
    pub(crate) entered_ns: u64,
}

/// Groups that the server stated so far.
#[derive(Debug, Default)]
pub(crate) struct StatedGroups {
    threads: ThreadTable<Memberships>,
    /// Whether the server stated any since the last gap.
    are_stated: bool,
    /// Commits in the queue of MySQL's flush stage.
    flush_queue: Vec<QueueEntry>,
    /// Groups on their way to MySQL's sync stage, or in its queue.
    sync_queue: Vec<QueuedGroup>,
}

/// Group of commits that a leader took from the queue of the flush stage.
#[derive(Clone, Copy, Debug)]
struct QueuedGroup {
    leader: Tid,
    /// Start of the leader's commit.
    commit_ns: Option<u64>,
    /// End of the leader's last write to the binlog. The group enters the queue of the sync stage then.
    written_ns: Option<u64>,
}

#[derive(Debug, Default)]
struct Memberships {
    /// Memberships of ended commits.
    past: History<Membership>,
    /// Membership of the commit that goes on.
    now: Option<Membership>,
}

impl StatedGroups {
    /// Adds the statement that a thread leads a member. Returns `false` if it contradicts an earlier one.
    pub(crate) fn push_member(&mut self, member: &Member) -> bool {
        self.are_stated = true;
        let of = self.threads.or_default(member.tid);
        let known_until_ns = of
            .now
            .map_or(of.past.end_ns(), |now| now.range.start_ns.saturating_add(1));
        if member.entered_ns < known_until_ns {
            return false;
        }
        let leader = Leader {
            tid: member.leader,
            commit_ns: member.leader_commit_ns,
            since_ns: member.entered_ns,
        };
        of.now = Some(Membership {
            range: TimeRange::new(member.entered_ns, u64::MAX),
            leader: (member.leader != member.tid).then_some(leader),
            head: None,
        });
        let group = QueuedGroup {
            leader: member.leader,
            commit_ns: member.leader_commit_ns,
            written_ns: None,
        };
        let is_queued = |last: &QueuedGroup| (last.leader, last.commit_ns) == (group.leader, group.commit_ns);
        if !self.sync_queue.last().is_some_and(is_queued) {
            self.leave_sync_queue(group.leader);
            if self.sync_queue.len() >= MAX_QUEUED {
                self.sync_queue.clear();
            }
            self.sync_queue.push(group);
        }
        true
    }

    /// Adds a commit to the queue of MySQL's flush stage.
    pub(crate) fn push_queue_entry(&mut self, entry: QueueEntry) {
        if self.flush_queue.len() >= MAX_QUEUED {
            self.flush_queue.clear();
        }
        self.flush_queue.push(entry);
    }

    /// Adds the start of a lead in MySQL's flush stage. All commits in the queue become members of the leader's group, and
    /// are passed to `each`.
    pub(crate) fn push_flush_stage(&mut self, step: &FlushStage, mut each: impl FnMut(&Member)) {
        let mut queue = std::mem::take(&mut self.flush_queue);
        for entry in queue.drain(..).filter(|entry| entry.at_ns <= step.at_ns) {
            let member = Member {
                tid: entry.tid,
                leader: step.tid,
                leader_commit_ns: step.commit_ns,
                entered_ns: entry.at_ns,
                at_ns: step.at_ns,
            };
            if self.push_member(&member) {
                each(&member);
            }
        }
        self.flush_queue = queue;
        self.lead_itself(step.tid);
    }

    /// Handles a write to the binlog.
    pub(crate) fn push_binlog_write(&mut self, io: &Io) {
        let mut groups = self.sync_queue.iter_mut();
        if let Some(group) = groups.find(|group| group.leader == io.tid) {
            group.written_ns = Some(io.exit_ns);
        }
    }

    /// Handles a sync of the binlog. Right before it, the leader of MySQL's sync stage takes the stage's queue, and leads all
    /// groups in it (`MYSQL_BIN_LOG::sync_binlog_file()`, sql/binlog.cc). A thread that syncs without being in the queue
    /// has another reason: it rotates the binlog.
    pub(crate) fn push_binlog_sync(&mut self, io: &Io) {
        let is_taken = |group: &QueuedGroup| {
            group
                .written_ns
                .is_some_and(|written_ns| written_ns <= io.enter_ns)
        };
        let mut groups = self.sync_queue.iter();
        let Some(own) = groups
            .find(|group| group.leader == io.tid && is_taken(group))
            .copied()
        else {
            return;
        };
        let mut queue = std::mem::take(&mut self.sync_queue);
        for group in queue.extract_if(.., |group| is_taken(group)) {
            if group.leader != own.leader {
                self.lead(group, own);
            }
        }
        self.sync_queue = queue;
    }

    /// Handles the end of a commit.
    pub(crate) fn push_commit(&mut self, commit: &Commit) {
        self.leave_sync_queue(commit.tid);
        let whole = TimeRange::new(commit.start_ns, commit.end_ns);
        let now = self.open_mut(commit.tid).copied();
        let head = now.and_then(|now| self.head(commit.tid, now));
        if now.is_none() {
            // Its group's lead was not seen.
            self.flush_queue.retain(|entry| entry.tid != commit.tid);
        }
        let Some(of) = self.threads.get_mut(commit.tid) else {
            return;
        };
        if let Some(now) = of.now.take().filter(|now| whole.contains(now.range.start_ns)) {
            of.past.push(Membership {
                range: now.range.intersection(whole),
                head,
                ..now
            });
        }
    }

    /// Returns whether the server stated any group.
    pub(crate) fn are_stated(&self) -> bool {
        self.are_stated
    }

    /// Returns the number of threads with memberships.
    pub(crate) fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Forgets the memberships of threads that are not known any more.
    pub(crate) fn retain_threads(&mut self, is_known: impl Fn(Tid) -> bool) {
        self.threads.extract(|tid, _| !is_known(tid));
        self.sync_queue.retain(|group| is_known(group.leader));
    }

    /// Clears all groups after a gap in the trace.
    pub(crate) fn interrupt(&mut self) {
        self.are_stated = false;
        self.threads.clear();
        self.flush_queue.clear();
        self.sync_queue.clear();
    }

    /// Returns the group membership of a thread's commit at `at_ns`, if it had entered a group.
    pub(crate) fn at(&self, tid: Tid, at_ns: u64) -> Option<Membership> {
        let of = self.threads.get(tid)?;
        let now = of.now.filter(|now| now.range.contains(at_ns));
        now.or_else(|| {
            of.past
                .overlapping(TimeRange::new(at_ns, at_ns.saturating_add(1)))
                .next()
                .copied()
        })
    }

    /// Returns the group memberships of a thread in `range`, in order.
    pub(crate) fn during(&self, tid: Tid, range: TimeRange) -> impl Iterator<Item = Membership> {
        let of = self.threads.get(tid).into_iter();
        of.flat_map(move |of| of.past.overlapping(range).copied().chain(of.now))
            .filter(move |membership| !membership.range.intersection(range).is_empty())
    }

    /// Returns the head of the group in which thread `tid` has this membership, or `None` if statements contradict each other
    /// or the leader's own membership was not recorded.
    pub(crate) fn head(&self, tid: Tid, membership: Membership) -> Option<GroupHead> {
        let (mut tid, mut membership) = (tid, membership);
        if membership.head.is_some() {
            return membership.head;
        }
        for _ in 0..MAX_LEADERS {
            let Some(leader) = membership.leader else {
                return Some(GroupHead {
                    tid,
                    entered_ns: membership.range.start_ns,
                });
            };
            tid = leader.tid;
            membership = self.at(tid, leader.since_ns)?;
        }
        None
    }

    /// Corrects the membership of a thread that leads a group. MySQL's commits state their entry a little before they
    /// enter: one that enters just after a queue was taken leads the next group, and was stated to be in the one before.
    fn lead_itself(&mut self, tid: Tid) {
        if let Some(now) = self.open_mut(tid) {
            now.leader.take_if(|leader| leader.since_ns == now.range.start_ns);
        }
    }

    fn open_mut(&mut self, tid: Tid) -> Option<&mut Membership> {
        self.threads.get_mut(tid)?.now.as_mut()
    }

    fn leave_sync_queue(&mut self, leader: Tid) {
        self.sync_queue.retain(|group| group.leader != leader);
    }

    /// Makes the leader of `group` a member that `by` leads.
    fn lead(&mut self, group: QueuedGroup, by: QueuedGroup) {
        if let Some((led, since_ns)) = self.open_mut(group.leader).zip(group.written_ns) {
            led.leader = Some(Leader {
                tid: by.leader,
                commit_ns: by.commit_ns,
                since_ns,
            });
        }
    }
}

impl ThreadInterval for Membership {
    fn range(&self) -> TimeRange {
        self.range
    }
}
