//! Visit: activity of a server thread between two waits for its client.

use logtrace_common::TimeRange;
use logtrace_events::OffCpu;

use crate::causes::wakeup::waits_for_request;
use crate::charging::Segment;
use crate::requests::part::Part;
use crate::timeline::thread::Timeline;

/// Limit on the segments whose memory the next visit uses again.
const MOST_KEPT: usize = 256;

/// Time in which a thread serves its client.
#[derive(Debug, Default)]
pub(crate) struct Visit {
    /// Time from the wake-up until the thread waits for the client again; [`u64::MAX`] while it does not.
    pub(crate) range: TimeRange,
    /// Commits of the visit, in order.
    pub(crate) commits: Vec<TimeRange>,
    /// Segments of the commits, in order, if they are stored.
    pub(crate) inside: Vec<StackSegment>,
    /// Segments of the time outside commits, if they are stored.
    pub(crate) outside: Vec<Segment>,
    /// Start of the known time of the thread; later than 0 after a gap.
    pub(crate) known_from_ns: u64,
}

/// Segment of a commit, with the number of its stack in the [`StackIndex`](crate::charging::stack_index::StackIndex).
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackSegment {
    pub(crate) range: TimeRange,
    pub(crate) stack: usize,
}

impl Visit {
    /// Returns the visit that was under way when the trace began at `began_ns`, if `wait` is the first wait for a client after
    /// it. A lock that is held for minutes keeps statements waiting that began before the trace.
    pub(crate) fn under_way(timeline: &Timeline, began_ns: u64, wait: &OffCpu) -> Option<Self> {
        let range = TimeRange::new(timeline.known_from_ns(), wait.out_ns);
        let is_first = range.start_ns == began_ns && !timeline.off_cpu(range).any(waits_for_request);
        (is_first && !range.is_empty()).then(|| Self {
            range,
            commits: timeline.commits(range).collect(),
            ..Self::default()
        })
    }

    /// Returns a visit that begins at `start_ns`, in the memory of this one.
    pub(crate) fn renewed(mut self, start_ns: u64, known_from_ns: u64) -> Self {
        self.range = TimeRange::new(start_ns, u64::MAX);
        self.known_from_ns = known_from_ns;
        self.commits.clear();
        self.inside.clear();
        self.outside.clear();
        self.commits.shrink_to(MOST_KEPT);
        self.inside.shrink_to(MOST_KEPT);
        self.outside.shrink_to(MOST_KEPT);
        self
    }

    /// Passes the part `serving` of the visit to `each` in order: the time before each commit, each commit, and last the rest.
    /// Without a commit all of it is before one.
    pub(crate) fn stages(&self, serving: TimeRange, mut each: impl FnMut(Part, TimeRange)) {
        let mut at_ns = serving.start_ns;
        let mut rest = Part::BeforeCommit;
        for commit in self.commits.iter().map(|commit| commit.intersection(serving)) {
            if !commit.is_empty() {
                each(Part::BeforeCommit, TimeRange::new(at_ns, commit.start_ns));
                each(Part::Commit, commit);
                (at_ns, rest) = (commit.end_ns, Part::AfterCommit);
            }
        }
        each(rest, serving.since(at_ns));
    }
}
