//! Parts of response times: sums by part, and by the causes of each part.

use logtrace_common::TimeRange;
use logtrace_events::Request;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoEnumIterator};

use crate::causes::Cause;
use crate::causes::cause_index::add_ns;
use crate::charging::Segment;
use crate::charging::stack_index::StackIndex;
use crate::requests::part::Part;
use crate::requests::visit::Visit;
use crate::timeline::frames::Frames;

/// Response times by part, over all matched requests, in nanoseconds. The parts sum to the total exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Number of requests that were matched with the server's thread of their connection.
    pub requests: u64,
    /// Number of requests that the server handled and that could not be matched.
    #[serde(rename = "unjoined")]
    pub unmatched: u64,
    /// Number of requests that the server handled in part or in full while nothing was traced, if only bursts were
    /// traced.
    #[serde(default)]
    pub untraced: u64,
    /// Response time: done - due.
    pub total: u64,
    /// Lag: sent - due.
    pub lag: u64,
    /// Client and network, in both directions and between the statements of a transaction.
    pub client: u64,
    /// Server from the wake-up of its thread until the commit, or all of the server's time without a commit.
    pub before_commit: u64,
    /// Commits.
    pub commit: u64,
    /// Server from the commit until its thread waited for the client again, or the client had its answer.
    pub after_commit: u64,
}

/// Sums over requests.
#[derive(Debug, Default)]
pub(crate) struct PartTotals {
    /// Numbers of requests; the times are not filled in yet.
    pub(crate) counts: Response,
    /// Nanoseconds by part.
    lengths: Lengths,
    /// Time in commits, by the number of the stack.
    commit: Vec<u64>,
    /// Explained time outside of commits, by part, [`Cause::number`] and the frames below it.
    explained: FxHashMap<(Part, u32, Option<Frames>), (Cause, u64)>,
}

/// Nanoseconds of each [`Part`].
type Lengths = [u64; Part::COUNT];

impl PartTotals {
    /// Splits a request by the work of the thread that served it. `visits` are in order and may reach beyond the request.
    pub(crate) fn add<'a>(&mut self, request: &Request, visits: impl Iterator<Item = &'a Visit>) {
        let service = TimeRange::new(request.sent_ns, request.done_ns);
        let mut lengths = Lengths::default();
        for visit in visits {
            self.add_visit(visit, visit.range.intersection(service), &mut lengths);
        }
        let serving_ns: u64 = lengths.iter().sum();
        if serving_ns == 0 {
            self.counts.unmatched += 1;
            return;
        }
        lengths[Part::Lag as usize] = request.lag_ns();
        lengths[Part::Client as usize] = request.service_ns() - serving_ns;
        self.counts.requests += 1;
        for (sum, length) in self.lengths.iter_mut().zip(lengths) {
            *sum += length;
        }
    }

    /// Adds the part `serving` of a visit.
    fn add_visit(&mut self, visit: &Visit, serving: TimeRange, lengths: &mut Lengths) {
        let mut last = (Part::BeforeCommit, serving.start_ns);
        visit.stages(serving, |part, range| {
            lengths[part as usize] += range.length_ns();
            last = (part, range.start_ns);
        });
        let (rest, at_ns) = last;
        for segment in &visit.inside {
            let range = segment.range.intersection(serving);
            add_ns(&mut self.commit, segment.stack, range.length_ns());
        }
        self.explain(&visit.outside, serving, |start_ns| {
            if start_ns < at_ns {
                Part::BeforeCommit
            } else {
                rest
            }
        });
    }

    /// Adds the time of `segments` within `serving`, outside of commits. The start of a segment decides its part.
    fn explain(&mut self, segments: &[Segment], serving: TimeRange, part: impl Fn(u64) -> Part) {
        for segment in segments {
            let range = segment.range.intersection(serving);
            if !range.is_empty() {
                let key = (part(range.start_ns), segment.cause.number(), segment.frames);
                self.explained.entry(key).or_insert((segment.cause, 0)).1 += range.length_ns();
            }
        }
    }

    /// Returns the sums of the parts.
    pub(crate) fn total(&self) -> Response {
        let [lag, client, before_commit, commit, after_commit] = self.lengths;
        Response {
            total: self.lengths.iter().sum(),
            lag,
            client,
            before_commit,
            commit,
            after_commit,
            ..self.counts
        }
    }

    /// Returns all of the time once, by part, and by cause and the frames below it if they are known. `stacks` have the
    /// numbers of the stacks in commits.
    pub(crate) fn by_stack(
        &self,
        stacks: &StackIndex,
    ) -> impl Iterator<Item = (Part, Option<Cause>, Option<Frames>, u64)> {
        let mut left = self.lengths;
        let commit = &mut left[Part::Commit as usize];
        *commit = commit.saturating_sub(self.commit.iter().sum());
        for (&(part, ..), &(_, ns)) in &self.explained {
            left[part as usize] = left[part as usize].saturating_sub(ns);
        }
        let explained = self.explained.iter();
        let explained = explained.map(|(&(part, _, stack), &(cause, ns))| (part, Some(cause), stack, ns));
        let left = Part::iter().zip(left).filter(|&(_, ns)| ns > 0);
        let in_commits = stacks
            .stacks()
            .iter()
            .zip(&self.commit)
            .filter(|&(_, &ns)| ns > 0);
        let in_commits = in_commits.map(|(stack, &ns)| {
            let cause = stacks.causes()[stack.cause];
            (Part::Commit, Some(cause), stack.frames, ns)
        });
        in_commits.chain(explained).chain(left.map(|(part, ns)| {
            // Commits always have causes: commit time that is missing here is unexplained.
            let cause = (part == Part::Commit).then_some(Cause::UNEXPLAINED);
            (part, cause, None, ns)
        }))
    }
}
