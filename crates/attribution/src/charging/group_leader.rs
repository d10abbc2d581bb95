//! Corrections of an explanation by the groups that the server states.
//!
//! The server's statement takes precedence over the wake-up. A commit with a stated leader is also walked by wake-ups
//! alone, and the report counts the differences (`groups.disagreements`).
//!
//! A member of a group need not have waited for its last waker: MySQL wakes the waiting members of all groups at once,
//! those of the next group too, and groups that merge later have their own leaders until then. If the server states who
//! leads a member, the member's wait is therefore its leader's time. The statements also separate the work of the own
//! group from that of the groups in front.

use logtrace_common::TimeRange;
use logtrace_events::{Commit, OffCpu, Tid};

use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::causes::{Cause, Who};
use crate::charging::Segment;
use crate::timeline::Timelines;
use crate::timeline::commit_groups::{GroupHead, Leader, MAX_LEADERS, Membership, StatedGroups};

/// Returns the stated leaders of thread `tid`, one after the other, in a wait that `waker` ended: each as if it had ended
/// the wait, with the end of the period in which it led.
///
/// A thread has a leader until the head of its group has woken it for the last time in its commit, or until the leader's
/// commit ends. After a leader's last record it may be blocked, so the period ends there unless the leader is the waker.
pub(crate) fn lead_periods(
    timelines: &Timelines,
    tid: Tid,
    off: &OffCpu,
    waker: Waker,
) -> impl Iterator<Item = (Waker, u64)> {
    let groups = &timelines.groups;
    let membership = groups.at(tid, off.out_ns).filter(|membership| {
        let has_begun = |leader: Leader| leader.since_ns <= off.out_ns;
        let is_led = || {
            let own = groups.head(tid, *membership);
            is_head(groups, waker, own) || off.out_ns < released_ns(timelines, tid, *membership)
        };
        membership.leader.is_some_and(has_begun) && is_led()
    });
    let first = membership.and_then(|membership| membership.leader);
    let leaders = std::iter::successors(first, |leader| groups.at(leader.tid, leader.since_ns)?.leader);
    leaders.take(MAX_LEADERS).map(move |leader| {
        let Leader { tid, commit_ns, .. } = leader;
        let as_waker = Waker {
            tid,
            commit_ns,
            ..waker
        };
        (as_waker, leads_until_ns(timelines, leader, waker))
    })
}

/// Returns whether the path goes back to a member of the same or a later group. Members wake each other too, and later
/// members hold locks that a leader needs. From there, statements would lead back to the start of the path.
pub(crate) fn leads_back(timelines: &Timelines, tid: Tid, off: &OffCpu, waker: Waker) -> bool {
    let groups = &timelines.groups;
    let head = |tid, at_ns| groups.head(tid, groups.at(tid, at_ns)?);
    let heads = head(tid, off.out_ns).zip(head(waker.tid, waker.at_ns));
    heads.is_some_and(|(own, theirs)| own.entered_ns <= theirs.entered_ns)
}

/// Returns when the head of its group woke a member for the last time, or the end of the member's commit if no such
/// wake-up was recorded.
///
/// Heads of other groups wake the member too (MySQL has one condition for all), and members pass a lock to each other.
fn released_ns(timelines: &Timelines, tid: Tid, membership: Membership) -> u64 {
    let groups = &timelines.groups;
    let own = groups.head(tid, membership);
    let waits = timelines
        .thread(tid)
        .map(|timeline| timeline.waits_back(membership.range));
    let mut wakers = waits.into_iter().flatten().filter_map(|off| {
        let Awaited::Thread(waker) = awaited(off, timelines.server_tgid) else {
            return None;
        };
        is_head(groups, waker, own).then_some(waker.at_ns)
    });
    wakers.next().unwrap_or(membership.range.end_ns)
}

/// Returns whether a waker was the head of the group with the head `own`.
fn is_head(groups: &StatedGroups, waker: Waker, own: Option<GroupHead>) -> bool {
    let membership = groups.at(waker.tid, waker.at_ns);
    let leading = membership.filter(|membership| membership.leader.is_none());
    leading.is_some_and(|membership| groups.head(waker.tid, membership) == own)
}

/// Returns until when a leader leads: until another thread leads it, or until its commit ends, as far as it is known.
fn leads_until_ns(timelines: &Timelines, leader: Leader, waker: Waker) -> u64 {
    let own = timelines.groups.at(leader.tid, leader.since_ns);
    if let Some(next) = own.and_then(|own| own.leader) {
        return next.since_ns;
    }
    let Some(timeline) = timelines.thread(leader.tid) else {
        return 0;
    };
    let commit = leader.commit_ns.and_then(|start_ns| {
        let begun = TimeRange::new(start_ns, start_ns.saturating_add(1));
        timeline.commits(begun).next()
    });
    match commit {
        Some(commit) => commit.end_ns,
        None if leader.tid == waker.tid => waker.at_ns,
        None => timeline.known_until_ns(),
    }
}

/// Marks the work of groups in front as [`Who::PreviousGroup`], from when the commit had entered its own group.
pub(crate) fn name_previous_groups(commit: &Commit, timelines: &Timelines, segments: &mut Vec<Segment>) {
    let Some(mut in_front) = GroupsInFront::of(commit, &timelines.groups) else {
        return;
    };
    let mut at = 0;
    while at < segments.len() {
        let segment = segments[at];
        if segment.cause.who == Who::Leader
            && let Some(range) = in_front.work_in(&segment)
        {
            if range == segment.range {
                segments[at].cause.who = Who::PreviousGroup;
            } else {
                segments.splice(at..=at, cut(segment, range).into_iter().flatten());
                // The rest after that range is checked next.
                at += usize::from(segment.range.start_ns < range.start_ns);
            }
        }
        at += 1;
    }
}

/// Number of memberships that are not looked up again.
const LAST: usize = 16;

/// Groups in front of a commit's own group.
struct GroupsInFront<'a> {
    groups: &'a StatedGroups,
    own: GroupHead,
    /// Time when the commit had entered its own group.
    entered_ns: u64,
    /// Memberships that were looked up last, by the low bits of the thread, and whether they are in a group in front: a thread
    /// has several segments, mostly all of them in one membership.
    last: [Option<(Tid, TimeRange, bool)>; LAST],
}

impl<'a> GroupsInFront<'a> {
    /// Returns the groups in front of a commit, or `None` if the server did not state its group.
    fn of(commit: &Commit, groups: &'a StatedGroups) -> Option<Self> {
        let membership = groups.at(commit.tid, commit.end_ns.saturating_sub(1))?;
        Some(Self {
            groups,
            own: groups.head(commit.tid, membership)?,
            entered_ns: membership.range.start_ns,
            last: [None; LAST],
        })
    }

    /// Returns the first part of a segment that is the work of a group in front.
    fn work_in(&mut self, segment: &Segment) -> Option<TimeRange> {
        let range = segment.range.since(self.entered_ns);
        if range.is_empty() {
            return None;
        }
        let last = segment.tid as usize % LAST;
        if let Some((tid, period, is_in_front)) = self.last[last]
            && tid == segment.tid
            && period.intersection(range) == range
        {
            return is_in_front.then_some(range);
        }
        let mut memberships = self.groups.during(segment.tid, range);
        memberships.find_map(|theirs| {
            let head = self.groups.head(segment.tid, theirs);
            let is_in_front = head.is_some_and(|head| head != self.own);
            self.last[last] = Some((segment.tid, theirs.range, is_in_front));
            is_in_front.then(|| theirs.range.intersection(range))
        })
    }
}

/// Cuts a segment into up to three: `range` of it is charged to a group in front.
fn cut(segment: Segment, range: TimeRange) -> [Option<Segment>; 3] {
    let part = |range: TimeRange, who: Who| {
        let cause = Cause { who, ..segment.cause };
        let part = Segment {
            range,
            cause,
            ..segment
        };
        (!range.is_empty()).then_some(part)
    };
    let whole = segment.range;
    [
        part(whole.before(range.start_ns), Who::Leader),
        part(range, Who::PreviousGroup),
        part(whole.since(range.end_ns), Who::Leader),
    ]
}

/// Returns the nanoseconds of a commit that two explanations of it charge to different threads.
pub(crate) fn differing_ns(one: &[Segment], other: &[Segment]) -> u64 {
    let (mut ones, mut others) = (one.iter(), other.iter());
    let (mut one, mut other) = (ones.next(), others.next());
    let mut differing_ns = 0;
    while let (Some(a), Some(b)) = (one, other) {
        if a.tid != b.tid {
            differing_ns += a.range.intersection(b.range).length_ns();
        }
        if a.range.end_ns <= b.range.end_ns {
            one = ones.next();
        } else {
            other = others.next();
        }
    }
    differing_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::Wait;

    /// Returns consecutive segments of these threads and lengths.
    fn segments(of: &[(Tid, u64)]) -> Vec<Segment> {
        let mut at_ns = 100;
        let mut segments = Vec::new();
        for &(tid, length_ns) in of {
            segments.push(Segment {
                range: TimeRange::new(at_ns, at_ns + length_ns),
                tid,
                cause: Cause {
                    who: Who::Leader,
                    io: None,
                    wait: Wait::OnCpu,
                },
                frames: None,
            });
            at_ns += length_ns;
        }
        segments
    }

    #[test]
    fn explanations_differ_where_another_thread_is_charged() {
        let one = segments(&[(1, 10), (2, 20), (1, 10)]);
        assert_eq!(differing_ns(&one, &one), 0);
        assert_eq!(differing_ns(&one, &segments(&[(1, 40)])), 20);
        assert_eq!(differing_ns(&segments(&[(1, 40)]), &one), 20);
        assert_eq!(differing_ns(&one, &segments(&[(1, 15), (2, 15), (3, 10)])), 15);
        assert_eq!(
            differing_ns(&one, &segments(&[(1, 4), (1, 6), (2, 20), (1, 10)])),
            0
        );
    }

    #[test]
    fn a_segment_is_cut_where_the_other_group_works() {
        let whole = segments(&[(7, 30)])[0];
        let parts = |start_ns, end_ns| -> Vec<(Who, u64)> {
            let parts = cut(whole, TimeRange::new(start_ns, end_ns)).into_iter().flatten();
            parts
                .map(|part| (part.cause.who, part.range.length_ns()))
                .collect()
        };
        let (own, theirs) = (Who::Leader, Who::PreviousGroup);
        assert_eq!(parts(100, 130), [(theirs, 30)]);
        assert_eq!(parts(110, 120), [(own, 10), (theirs, 10), (own, 10)]);
        assert_eq!(parts(110, 130), [(own, 10), (theirs, 20)]);
        assert_eq!(parts(100, 120), [(theirs, 20), (own, 10)]);
    }
}
