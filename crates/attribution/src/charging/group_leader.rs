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

use crate::causes::cause::{Cause, Who};
use crate::causes::wakeup::{Awaited, Waker, awaited};
use crate::charging::segment::Segment;
use crate::timeline::commit_groups::{Groups, Head, Leader, MAX_LEADERS, Membership};
use crate::timeline::threads::Timelines;

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
        membership.leader.is_some_and(has_begun) && off.out_ns < released_ns(timelines, tid, *membership)
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
    heads.is_some_and(|(own, theirs)| own.joined_ns <= theirs.joined_ns)
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
        .map(|timeline| timeline.waits(membership.window));
    let wakers = waits.into_iter().flatten().filter_map(|off| {
        let Awaited::Thread(waker) = awaited(off, timelines.server_tgid) else {
            return None;
        };
        let of_waker = groups.at(waker.tid, waker.at_ns)?;
        let is_head = of_waker.leader.is_none() && groups.head(waker.tid, of_waker) == own;
        is_head.then_some(waker.at_ns)
    });
    wakers.last().unwrap_or(membership.window.end_ns)
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

/// Marks the work of groups in front as [`Who::PreviousGroup`], from when the commit had joined its own group.
pub(crate) fn name_previous_groups(commit: &Commit, timelines: &Timelines, segments: &mut Vec<Segment>) {
    let Some(mut in_front) = GroupsInFront::of(commit, &timelines.groups) else {
        return;
    };
    let mut at = 0;
    while at < segments.len() {
        let segment = segments[at];
        if segment.cause.who == Who::Leader
            && let Some(window) = in_front.work_in(&segment)
        {
            if window == segment.window {
                segments[at].cause.who = Who::PreviousGroup;
            } else {
                segments.splice(at..=at, cut(segment, window).into_iter().flatten());
                // The rest after that window is checked next.
                at += usize::from(segment.window.start_ns < window.start_ns);
            }
        }
        at += 1;
    }
}

/// Groups in front of a commit's own group.
struct GroupsInFront<'a> {
    groups: &'a Groups,
    own: Head,
    /// Time when the commit had joined its own group.
    joined_ns: u64,
    /// Last membership that was looked up, and whether it is in a group in front: a thread has several segments one after
    /// the other, mostly, all of them in one membership.
    last: Option<(Tid, TimeRange, bool)>,
}

impl<'a> GroupsInFront<'a> {
    /// Returns the groups in front of a commit, or `None` if the server did not state its group.
    fn of(commit: &Commit, groups: &'a Groups) -> Option<Self> {
        let membership = groups.at(commit.tid, commit.end_ns.saturating_sub(1))?;
        Some(Self {
            groups,
            own: groups.head(commit.tid, membership)?,
            joined_ns: membership.window.start_ns,
            last: None,
        })
    }

    /// Returns the first part of a segment that is the work of a group in front.
    fn work_in(&mut self, segment: &Segment) -> Option<TimeRange> {
        let window = segment.window.since(self.joined_ns);
        if let Some((tid, period, is_in_front)) = self.last
            && tid == segment.tid
            && !window.is_empty()
            && period.intersection(window) == window
        {
            return is_in_front.then_some(window);
        }
        let mut memberships = self.groups.during(segment.tid, window);
        memberships.find_map(|theirs| {
            let head = self.groups.head(segment.tid, theirs);
            let is_in_front = head.is_some_and(|head| head != self.own);
            self.last = Some((segment.tid, theirs.window, is_in_front));
            is_in_front.then(|| theirs.window.intersection(window))
        })
    }
}

/// Cuts a segment into up to three: `window` of it is charged to a group in front.
fn cut(segment: Segment, window: TimeRange) -> [Option<Segment>; 3] {
    let part = |window: TimeRange, who: Who| {
        let cause = Cause { who, ..segment.cause };
        let part = Segment {
            window,
            cause,
            ..segment
        };
        (!window.is_empty()).then_some(part)
    };
    let whole = segment.window;
    [
        part(whole.before(window.start_ns), Who::Leader),
        part(window, Who::PreviousGroup),
        part(whole.since(window.end_ns), Who::Leader),
    ]
}

/// Returns the nanoseconds of a commit that two explanations of it charge to different threads.
pub(crate) fn differing_ns(one: &[Segment], other: &[Segment]) -> u64 {
    let (mut ones, mut others) = (one.iter(), other.iter());
    let (mut one, mut other) = (ones.next(), others.next());
    let mut differing_ns = 0;
    while let (Some(a), Some(b)) = (one, other) {
        if a.tid != b.tid {
            differing_ns += a.window.intersection(b.window).length_ns();
        }
        if a.window.end_ns <= b.window.end_ns {
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
    use crate::causes::cause::Wait;

    /// Returns consecutive segments of these threads and lengths.
    fn segments(of: &[(Tid, u64)]) -> Vec<Segment> {
        let mut at_ns = 100;
        let mut segments = Vec::new();
        for &(tid, length_ns) in of {
            segments.push(Segment {
                window: TimeRange::new(at_ns, at_ns + length_ns),
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
                .map(|part| (part.cause.who, part.window.length_ns()))
                .collect()
        };
        let (own, theirs) = (Who::Leader, Who::PreviousGroup);
        assert_eq!(parts(100, 130), [(theirs, 30)]);
        assert_eq!(parts(110, 120), [(own, 10), (theirs, 10), (own, 10)]);
        assert_eq!(parts(110, 130), [(own, 10), (theirs, 20)]);
        assert_eq!(parts(100, 120), [(theirs, 20), (own, 10)]);
    }
}
