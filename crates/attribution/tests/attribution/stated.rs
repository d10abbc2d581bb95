//! What a server's statements say of its groups, written down as plainly as possible.

use logtrace_common::FileClass;
use logtrace_events::{FlushStage, Io, IoOp, Member, QueueEntry, Record, Tid};

use super::schedule;

/// A commit's place in a group.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) tid: Tid,
    pub(crate) entered_ns: u64,
    /// The end of its commit, `u64::MAX` while it goes on.
    pub(crate) end_ns: u64,
    pub(crate) leader: Option<Leader>,
    /// The head of its group, as it was when its commit ended: a leader outlives those that it leads.
    head: Option<(Tid, u64)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Leader {
    pub(crate) tid: Tid,
    pub(crate) commit_ns: Option<u64>,
    pub(crate) since_ns: u64,
}

/// Statements so far.
#[derive(Default)]
struct Stated {
    places: Vec<Place>,
    flush_queue: Vec<QueueEntry>,
    /// Leaders, the start of the commit in which they lead, and the end of their last write to the binlog.
    sync_queue: Vec<(Tid, Option<u64>, Option<u64>)>,
}

/// Every place that was stated in `records`.
pub(crate) fn places(records: &[Record]) -> Vec<Place> {
    let mut stated = Stated::default();
    for record in records {
        match record {
            Record::Member(member) => stated.add(member),
            Record::QueueEntry(entry) => stated.flush_queue.push(*entry),
            Record::FlushStage(step) => stated.take_flush_queue(step),
            Record::Io(io) if schedule::class(io) == FileClass::Binlog => stated.write_or_sync(io),
            Record::Commit(commit) => {
                stated.sync_queue.retain(|(tid, ..)| *tid != commit.tid);
                stated.flush_queue.retain(|entry| entry.tid != commit.tid);
                let now = open(&mut stated.places, commit.tid).copied();
                let its_head = now.and_then(|now| head(&stated.places, now));
                if let Some(ended) = open(&mut stated.places, commit.tid) {
                    ended.end_ns = commit.end_ns;
                    ended.head = its_head;
                }
            }
            _ => {}
        }
    }
    stated.places
}

impl Stated {
    fn add(&mut self, member: &Member) {
        self.places.push(Place {
            tid: member.tid,
            entered_ns: member.entered_ns,
            end_ns: u64::MAX,
            leader: (member.leader != member.tid).then_some(Leader {
                tid: member.leader,
                commit_ns: member.leader_commit_ns,
                since_ns: member.entered_ns,
            }),
            head: None,
        });
        let (leader, commit_ns) = (member.leader, member.leader_commit_ns);
        let last = self.sync_queue.last();
        if last.is_none_or(|last| (last.0, last.1) != (leader, commit_ns)) {
            self.sync_queue.retain(|(tid, ..)| *tid != leader);
            self.sync_queue.push((leader, commit_ns, None));
        }
    }

    fn take_flush_queue(&mut self, step: &FlushStage) {
        for entry in std::mem::take(&mut self.flush_queue) {
            self.add(&Member {
                tid: entry.tid,
                leader: step.tid,
                leader_commit_ns: step.commit_ns,
                entered_ns: entry.at_ns,
                at_ns: step.at_ns,
            });
        }
        // One that leads a group leads itself, if it was stated before to be led since it entered.
        if let Some(leads) = open(&mut self.places, step.tid) {
            let entered_ns = leads.entered_ns;
            leads.leader.take_if(|leader| leader.since_ns == entered_ns);
        }
    }

    fn write_or_sync(&mut self, io: &Io) {
        if io.op == IoOp::Write {
            for group in self.sync_queue.iter_mut().filter(|group| group.0 == io.tid) {
                group.2 = Some(io.exit_ns);
            }
            return;
        }
        let is_there =
            |group: &(_, _, Option<u64>)| group.2.is_some_and(|written_ns| written_ns <= io.enter_ns);
        let (there, later): (Vec<_>, Vec<_>) = self.sync_queue.iter().copied().partition(is_there);
        let Some(&(leader, commit_ns, _)) = there.iter().find(|group| group.0 == io.tid) else {
            return;
        };
        self.sync_queue = later;
        for (tid, _, written_ns) in there.into_iter().filter(|group| group.0 != leader) {
            if let Some(led) = open(&mut self.places, tid) {
                led.leader = Some(Leader {
                    tid: leader,
                    commit_ns,
                    since_ns: written_ns.unwrap(),
                });
            }
        }
    }
}

/// The thread's place that has not ended.
fn open(places: &mut [Place], tid: Tid) -> Option<&mut Place> {
    places
        .iter_mut()
        .find(|place| place.tid == tid && place.end_ns == u64::MAX)
}

/// The thread's place at `ns`.
pub(crate) fn at(places: &[Place], tid: Tid, ns: u64) -> Option<Place> {
    let mut here = places
        .iter()
        .filter(|place| place.tid == tid && place.entered_ns <= ns && ns < place.end_ns);
    here.next().copied()
}

/// Thread and time of entry of the commit that leads all of a group; `None` where the statements contradict.
pub(crate) fn head(places: &[Place], place: Place) -> Option<(Tid, u64)> {
    let mut place = place;
    if place.head.is_some() {
        return place.head;
    }
    for _ in 0..4 {
        match place.leader {
            None => return Some((place.tid, place.entered_ns)),
            Some(leader) => place = at(places, leader.tid, leader.since_ns)?,
        }
    }
    None
}
