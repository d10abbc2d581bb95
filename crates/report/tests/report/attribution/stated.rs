//! What a server's statements say of its groups, written down as plainly as possible.

use logtrace_events::{Record, Tid};

/// A commit's place in a group.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) tid: Tid,
    pub(crate) joined_ns: u64,
    /// The end of its commit, `u64::MAX` while it goes on.
    pub(crate) end_ns: u64,
    pub(crate) leader: Option<Leader>,
}

#[derive(Clone, Copy)]
pub(crate) struct Leader {
    pub(crate) tid: Tid,
    pub(crate) commit_ns: Option<u64>,
    pub(crate) since_ns: u64,
}

/// Every place that was stated in `records`.
pub(crate) fn places(records: &[Record]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut sync_queue: Vec<(Tid, u64)> = Vec::new();
    for record in records {
        match record {
            Record::Member(member) => {
                places.push(Place {
                    tid: member.tid,
                    joined_ns: member.joined_ns,
                    end_ns: u64::MAX,
                    leader: (member.leader != member.tid).then_some(Leader {
                        tid: member.leader,
                        commit_ns: member.leader_commit_ns,
                        since_ns: member.joined_ns,
                    }),
                });
                // One that leads a group leads itself, if it was stated before to be led since it joined.
                if let Some(leads) = open(&mut places, member.leader) {
                    let joined_ns = leads.joined_ns;
                    leads.leader.take_if(|leader| leader.since_ns == joined_ns);
                }
                sync_queue.retain(|(tid, _)| *tid != member.leader);
                sync_queue.push((member.leader, member.at_ns));
            }
            Record::SyncStage(step) => {
                let Some(own) = open(&mut places, step.tid) else {
                    continue;
                };
                let late = own.leader.is_some_and(|leader| leader.since_ns > own.joined_ns);
                if late {
                    own.leader = None;
                }
                if late || sync_queue.iter().any(|(tid, _)| *tid == step.tid) {
                    for (tid, since_ns) in std::mem::take(&mut sync_queue) {
                        if let Some(led) = open(&mut places, tid).filter(|_| tid != step.tid) {
                            let (tid, commit_ns) = (step.tid, step.commit_ns);
                            led.leader = Some(Leader {
                                tid,
                                commit_ns,
                                since_ns,
                            });
                        }
                    }
                }
            }
            Record::Commit(commit) => {
                sync_queue.retain(|(tid, _)| *tid != commit.tid);
                if let Some(ended) = open(&mut places, commit.tid) {
                    ended.end_ns = commit.end_ns;
                }
            }
            _ => {}
        }
    }
    places
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
        .filter(|place| place.tid == tid && place.joined_ns <= ns && ns < place.end_ns);
    here.next().copied()
}

/// Thread and time of joining of the commit that leads all of a group; `None` where the statements contradict.
pub(crate) fn head(places: &[Place], place: Place) -> Option<(Tid, u64)> {
    let mut place = place;
    for _ in 0..4 {
        match place.leader {
            None => return Some((place.tid, place.joined_ns)),
            Some(leader) => place = at(places, leader.tid, leader.since_ns)?,
        }
    }
    None
}
