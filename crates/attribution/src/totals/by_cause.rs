//! Totals of commits: by cause, by second, by stack, and of the slowest 1 %.

use logtrace_common::TimeRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::causes::Cause;
use crate::causes::cause_index::add_ns;
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;
use crate::requests::other_clients::OtherCommits;
use crate::timeline::Timelines;
use crate::timeline::frames::Below;
use crate::totals::cpu_functions::CpuFunctions;
use crate::totals::distribution::Distribution;
use crate::totals::histogram::Durations;
use crate::totals::slowest::LatencyBuckets;
use crate::totals::stalls::SlowTenth;

/// Significant digits of the distribution of commits' durations.
const DIGITS: u8 = 3;
const SECOND_NS: u64 = 1_000_000_000;
/// Limit on separately counted seconds: eleven days. Later commits count in the last one.
const MOST_SECONDS: u64 = 1_000_000;

/// Read-write commits of the server in the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commits {
    /// Number of commits.
    pub count: u64,
    /// Sum of their durations.
    pub total: u64,
    /// Distribution of their durations.
    pub distribution: Distribution,
    /// Number of commits that began in each second. The first second also has those that were under way when the window
    /// began.
    pub per_second: Vec<u64>,
    /// Tenths of a second in which few commits ended, with the waits of the commits in that time. Empty if only bursts
    /// were traced; absent in older documents.
    #[serde(default)]
    pub slow_tenths: Vec<SlowTenth>,
    /// Number of commits in the "slowest 1 %".
    pub slowest_count: u64,
    /// Sum of the durations of the slowest commits.
    pub slowest_total: u64,
    /// Commits among these that are not of the load. Absent if the load was not logtrace's, if the threads of its connections
    /// are not known, and in older documents.
    #[serde(default)]
    pub others: Option<OtherCommits>,
}

/// Total of one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseRow {
    /// The cause.
    #[serde(flatten)]
    pub cause: Cause,
    /// Nanoseconds over all commits.
    pub total: u64,
    /// Number of commits that it delayed.
    pub commits: u64,
    /// Nanoseconds within the slowest 1 % of the commits.
    pub slowest: u64,
}

/// Sums over explained commits.
#[derive(Debug)]
pub(crate) struct Aggregate {
    window: TimeRange,
    latest_ns: u64,
    pub(crate) durations: Durations,
    per_second: Vec<u64>,
    /// Stacks of all commits, with the time of the last one.
    pub(crate) stacks: StackIndex,
    /// Sums by index of the cause.
    sums: Vec<CauseSum>,
    buckets: LatencyBuckets,
    /// Time by number of the stack.
    by_stack: Vec<u64>,
    functions: CpuFunctions,
}

#[derive(Debug, Default)]
struct CauseSum {
    total_ns: u64,
    commits: u64,
    /// Number of the last commit that the cause delayed, so that a commit counts once.
    last_commit: u64,
}

impl Aggregate {
    /// Creates empty sums over the commits of `window`.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            window,
            latest_ns: window.start_ns,
            durations: Durations::new(DIGITS),
            per_second: Vec::new(),
            stacks: StackIndex::default(),
            sums: Vec::new(),
            buckets: LatencyBuckets::default(),
            by_stack: Vec::new(),
            functions: CpuFunctions::default(),
        }
    }

    /// Resets the sums, for another window. The numbers of stacks stay.
    pub(crate) fn begin(&mut self, window: TimeRange) {
        *self = Self {
            stacks: std::mem::take(&mut self.stacks),
            ..Self::new(window)
        };
    }

    /// Adds a commit that began at `start_ns`. Its segments sum to its duration of `length_ns`.
    pub(crate) fn add(&mut self, start_ns: u64, length_ns: u64, segments: &[Segment]) {
        self.durations.add(length_ns);
        self.count_second(start_ns);
        let number = self.durations.count();
        let bucket = self.buckets.add_commit(length_ns);
        self.stacks.sum(segments);
        self.sums
            .resize_with(self.stacks.causes().len(), CauseSum::default);
        for time in self.stacks.times() {
            let sum = &mut self.sums[time.cause];
            sum.total_ns += time.ns;
            sum.commits += u64::from(sum.last_commit != number);
            sum.last_commit = number;
            bucket.add(time.cause, time.ns);
            add_ns(&mut self.by_stack, time.stack, time.ns);
        }
    }

    /// Adds the functions that threads ran in the segments of a commit.
    pub(crate) fn add_functions(&mut self, segments: &[Segment], timelines: &Timelines) {
        self.functions.add(segments, timelines);
    }

    /// Notes that the measured time has reached `at_ns`: earlier seconds without a commit count as 0.
    pub(crate) fn reach(&mut self, at_ns: u64) {
        self.latest_ns = self.latest_ns.max(at_ns.min(self.window.end_ns));
    }

    /// Ends the window at `at_ns`: all seconds until then were measured.
    pub(crate) fn end_window(&mut self, at_ns: u64) {
        self.window.end_ns = at_ns;
        self.latest_ns = at_ns.max(self.window.start_ns);
    }

    /// Returns the measured length of the window.
    pub(crate) fn measured_ns(&self) -> u64 {
        self.latest_ns - self.window.start_ns
    }

    /// Returns the number of commits that began in each measured second of the window.
    pub(crate) fn per_second(&self) -> Vec<u64> {
        let seconds = seconds(self.measured_ns().div_ceil(SECOND_NS));
        let mut counts = self.per_second.clone();
        counts.resize(seconds.max(counts.len()), 0);
        counts
    }

    /// Returns the totals of the commits, without those of other clients.
    pub(crate) fn commits(&self, slow_tenths: Vec<SlowTenth>) -> Commits {
        let slowest = self.buckets.slowest_hundredth();
        Commits {
            count: self.durations.count(),
            total: self.durations.total_ns,
            distribution: self.durations.distribution(),
            per_second: self.per_second(),
            slow_tenths,
            slowest_count: slowest.commits,
            slowest_total: slowest.total_ns,
            others: None,
        }
    }

    /// Returns the totals of the causes, the largest first.
    pub(crate) fn causes(&self) -> Vec<CauseRow> {
        let slowest = self.buckets.slowest_hundredth();
        let mut rows: Vec<CauseRow> = self
            .sums()
            .enumerate()
            .filter(|(_, (_, sum))| sum.commits > 0)
            .map(|(at, (cause, sum))| CauseRow {
                cause,
                total: sum.total_ns,
                commits: sum.commits,
                slowest: slowest.by_cause.get(at).copied().unwrap_or(0),
            })
            .collect();
        rows.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.cause.cmp(&b.cause)));
        rows
    }

    /// Returns nanoseconds by cause and the frames below it.
    pub(crate) fn by_stack(&self) -> impl Iterator<Item = (Cause, Option<Below>, u64)> {
        let stacks = self.stacks.stacks().iter().zip(&self.by_stack);
        let stacks = stacks.filter(|&(_, &ns)| ns > 0);
        stacks.flat_map(|(stack, &ns)| {
            let cause = self.stacks.causes()[stack.cause];
            let parts = match stack.frames {
                Some(frames) => vec![(Some(frames.into()), ns)],
                None => self.functions.split(cause, ns),
            };
            parts.into_iter().map(move |(frames, ns)| (cause, frames, ns))
        })
    }

    fn sums(&self) -> impl Iterator<Item = (Cause, &CauseSum)> {
        self.stacks.causes().iter().copied().zip(&self.sums)
    }

    fn count_second(&mut self, start_ns: u64) {
        let since_start_ns = start_ns.saturating_sub(self.window.start_ns);
        let second = seconds((since_start_ns / SECOND_NS).min(MOST_SECONDS - 1));
        if self.per_second.len() <= second {
            self.per_second.resize(second + 1, 0);
        }
        self.per_second[second] += 1;
    }
}

fn seconds(count: u64) -> usize {
    usize::try_from(count.min(MOST_SECONDS)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::causes::Wait;

    use super::*;

    const START_NS: u64 = 5 * SECOND_NS;

    /// Adds a commit made of pieces one after another.
    fn add(aggregate: &mut Aggregate, end_ns: u64, pieces: &[(Wait, u64)]) {
        let length_ns: u64 = pieces.iter().map(|(_, ns)| ns).sum();
        let mut at_ns = end_ns - length_ns;
        let mut segments = Vec::new();
        for &(wait, ns) in pieces {
            segments.push(Segment {
                range: TimeRange::new(at_ns, at_ns + ns),
                tid: 1,
                cause: Cause::own(wait),
                frames: None,
            });
            at_ns += ns;
        }
        aggregate.add(end_ns - length_ns, length_ns, &segments);
    }

    fn aggregate() -> Aggregate {
        Aggregate::new(TimeRange::new(START_NS, START_NS + 10 * SECOND_NS))
    }

    #[test]
    fn a_commit_counts_once_for_a_cause_that_came_twice() {
        let mut aggregate = aggregate();
        add(
            &mut aggregate,
            START_NS + 100,
            &[(Wait::OnCpu, 5), (Wait::Timer, 3), (Wait::OnCpu, 2)],
        );
        add(&mut aggregate, START_NS + 200, &[(Wait::OnCpu, 1)]);
        let rows: Vec<_> = aggregate
            .causes()
            .iter()
            .map(|row| (row.cause.wait, row.total, row.commits))
            .collect();
        assert_eq!(rows, [(Wait::OnCpu, 8, 2), (Wait::Timer, 3, 1)]);
        assert_eq!(aggregate.durations.total_ns, 11);
    }

    #[test]
    fn the_slowest_hundredth_has_totals_of_its_own() {
        let mut aggregate = aggregate();
        for n in 0..299 {
            add(
                &mut aggregate,
                START_NS + 1_000 * n + 1_000,
                &[(Wait::OnCpu, 100)],
            );
        }
        for n in 0..3 {
            add(
                &mut aggregate,
                START_NS + SECOND_NS + n,
                &[(Wait::Timer, 9_000), (Wait::OnCpu, 10)],
            );
        }
        add(&mut aggregate, START_NS + 2 * SECOND_NS, &[(Wait::Timer, 20_000)]);
        let commits = aggregate.commits(Vec::new());
        assert_eq!((commits.slowest_count, commits.slowest_total), (4, 47_030));
        let by_wait: Vec<_> = aggregate
            .causes()
            .iter()
            .map(|row| (row.cause.wait, row.slowest))
            .collect();
        assert_eq!(by_wait, [(Wait::Timer, 47_000), (Wait::OnCpu, 30)]);
    }

    #[test]
    fn seconds_without_a_commit_are_zero_as_far_as_was_measured() {
        let mut aggregate = aggregate();
        add(&mut aggregate, START_NS + 1, &[(Wait::OnCpu, 1)]);
        add(&mut aggregate, START_NS + 2 * SECOND_NS + 1, &[(Wait::OnCpu, 1)]);
        assert_eq!(aggregate.per_second(), [1, 0, 1]);
        aggregate.reach(START_NS + 4 * SECOND_NS);
        assert_eq!(aggregate.per_second(), [1, 0, 1, 0]);
        aggregate.reach(START_NS + 99 * SECOND_NS);
        assert_eq!(aggregate.per_second().len(), 10);
    }

    #[test]
    fn a_window_that_is_ended_was_measured_until_then() {
        let mut aggregate = Aggregate::new(TimeRange::new(START_NS, u64::MAX));
        add(&mut aggregate, START_NS + 1, &[(Wait::OnCpu, 1)]);
        aggregate.end_window(START_NS + 2 * SECOND_NS + 1);
        aggregate.reach(START_NS + 99 * SECOND_NS);
        assert_eq!(aggregate.per_second(), [1, 0, 0]);
    }
}
