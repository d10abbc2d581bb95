//! Totals of groups of commits: their sizes, and how often wake-ups contradict the server's statements.

use logtrace_events::{Commit, Member, Tid};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::timeline::commit_groups::Membership;

/// Groups of commits as the server stated them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Groups {
    /// Number of groups with their leader's commit in the window.
    pub count: u64,
    /// Number of commits in them, those of the leaders included.
    pub members: u64,
    /// Number of groups of one commit, of two, and so on.
    pub sizes: Vec<u64>,
    /// Number of groups that the leader of another group led later on: MySQL's groups merge in the sync stage.
    pub merged: u64,
    /// Number of commits that another thread led.
    pub led: u64,
    /// Commits for which wake-ups alone lead to other threads than the server states; counted only with full detail.
    pub disagreements: Disagreements,
}

/// Commits for which wake-ups alone lead to other threads than the server states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreements {
    /// Number of led commits with some time that wake-ups charge to another thread.
    pub commits: u64,
    /// Sum of that time.
    pub total: u64,
}

/// Limit on groups that are forming. More are there only if the ends of their leaders' commits were lost.
const MAX_FORMING: usize = 16_384;

/// Counts groups and their members.
#[derive(Debug, Default)]
pub(crate) struct GroupTotals {
    /// Groups that are forming, by leader.
    forming: FxHashMap<Tid, Forming>,
    /// Whether the server stated any.
    is_stated: bool,
    total: Groups,
}

#[derive(Clone, Copy, Debug)]
struct Forming {
    leader_commit_ns: Option<u64>,
    members: usize,
}

impl GroupTotals {
    /// Resets the totals; groups that are forming stay.
    pub(crate) fn begin(&mut self) {
        self.total = Groups::default();
    }

    /// Adds a member to its leader's group.
    pub(crate) fn add(&mut self, member: &Member) {
        self.is_stated = true;
        let empty = Forming {
            leader_commit_ns: member.leader_commit_ns,
            members: 0,
        };
        if self.forming.len() >= MAX_FORMING {
            self.forming.clear();
        }
        let forming = self.forming.entry(member.leader).or_insert(empty);
        if forming.leader_commit_ns != member.leader_commit_ns {
            *forming = empty;
        }
        forming.members += 1;
    }

    /// Handles the end of a commit, and counts the group that it led if `counts`.
    pub(crate) fn end(&mut self, commit: &Commit, membership: Option<Membership>, counts: bool) {
        let Some(group) = self.forming.remove(&commit.tid) else {
            return;
        };
        if !counts || group.leader_commit_ns != Some(commit.start_ns) {
            return;
        }
        let sizes = &mut self.total.sizes;
        sizes.resize(sizes.len().max(group.members), 0);
        sizes[group.members - 1] += 1;
        self.total.count += 1;
        self.total.members += group.members as u64;
        self.total.merged += u64::from(membership.is_some_and(|membership| membership.leader.is_some()));
    }

    /// Counts a commit that another thread led. Wake-ups alone charge `differing_ns` of it to other threads than the
    /// server states.
    pub(crate) fn add_led(&mut self, differing_ns: u64) {
        self.total.led += 1;
        self.total.disagreements.commits += u64::from(differing_ns > 0);
        self.total.disagreements.total += differing_ns;
    }

    /// Returns the totals, or `None` if the server stated no group.
    pub(crate) fn into_total(self) -> Option<Groups> {
        self.is_stated.then_some(self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(tid: Tid, leader: Tid, leader_commit_ns: u64) -> Member {
        Member {
            tid,
            leader,
            leader_commit_ns: Some(leader_commit_ns),
            entered_ns: leader_commit_ns + 1,
            at_ns: leader_commit_ns + 2,
        }
    }

    fn commit(tid: Tid, start_ns: u64) -> Commit {
        Commit {
            tid,
            start_ns,
            end_ns: start_ns + 10,
        }
    }

    #[test]
    fn a_group_counts_when_its_leaders_commit_ends() {
        let mut totals = GroupTotals::default();
        for tid in [1, 2, 3] {
            totals.add(&member(tid, 1, 100));
        }
        totals.end(&commit(2, 101), None, true);
        assert!(totals.total.sizes.is_empty());
        totals.end(&commit(1, 100), None, true);
        totals.add(&member(2, 2, 200));
        totals.end(&commit(2, 200), None, true);
        assert_eq!(totals.into_total().unwrap().sizes, [1, 0, 1]);
    }

    #[test]
    fn a_group_outside_of_the_window_or_of_a_lost_commit_does_not_count() {
        let mut totals = GroupTotals::default();
        totals.add(&member(1, 1, 100));
        totals.end(&commit(1, 100), None, false);
        totals.add(&member(1, 1, 200));
        totals.add(&member(2, 1, 300));
        totals.end(&commit(1, 200), None, true);
        assert!(totals.into_total().unwrap().sizes.is_empty());
        assert!(GroupTotals::default().into_total().is_none());
    }
}
