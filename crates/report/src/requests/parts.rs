//! What the response times of requests were made of: sums by part, and by what each part waited for.

use logtrace_common::TimeRange;
use logtrace_events::Request;
use rustc_hash::FxHashMap;

use crate::attribution::walk::Segment;
use crate::causes::cause::Cause;
use crate::requests::visit::Visit;
use crate::totals::breakdown::{Part, ResponseTotal};

/// Sums over requests.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    requests: u64,
    unjoined: u64,
    untraced: u64,
    /// Nanoseconds of each part.
    lengths: Lengths,
    /// What is explained of them, by part, [`Cause::number`] and kernel stack.
    explained: FxHashMap<(Part, u32, Option<u32>), (Cause, u64)>,
}

/// Nanoseconds of each [`Part`].
type Lengths = [u64; Part::ALL.len()];

impl Parts {
    /// A request that the server did, of which no more is known.
    pub(crate) fn add_unjoined(&mut self) {
        self.unjoined += 1;
    }

    /// A request that the server did while the tracer did not look all the time.
    pub(crate) fn add_untraced(&mut self) {
        self.untraced += 1;
    }

    /// Takes a request apart by what the thread that served it did: `visits` in order, which may reach beyond it.
    pub(crate) fn add<'a>(&mut self, request: &Request, visits: impl Iterator<Item = &'a Visit>) {
        let service = TimeRange::new(request.sent_ns, request.done_ns);
        let mut lengths = Lengths::default();
        for visit in visits {
            self.add_visit(visit, visit.window.intersection(service), &mut lengths);
        }
        let serving_ns: u64 = lengths.iter().sum();
        if serving_ns == 0 {
            return self.add_unjoined();
        }
        lengths[Part::Lag as usize] = request.lag_ns();
        lengths[Part::Client as usize] = request.service_ns() - serving_ns;
        self.requests += 1;
        for (sum, length) in self.lengths.iter_mut().zip(lengths) {
            *sum += length;
        }
    }

    /// The part `serving` of a visit.
    fn add_visit(&mut self, visit: &Visit, serving: TimeRange, lengths: &mut Lengths) {
        let mut at_ns = serving.start_ns;
        for commit in visit.commits.iter().map(|commit| commit.intersection(serving)) {
            if !commit.is_empty() {
                lengths[Part::BeforeCommit as usize] += commit.start_ns - at_ns;
                lengths[Part::Commit as usize] += commit.length_ns();
                at_ns = commit.end_ns;
            }
        }
        let rest = if at_ns > serving.start_ns {
            Part::AfterCommit
        } else {
            Part::BeforeCommit
        };
        lengths[rest as usize] += serving.since(at_ns).length_ns();
        self.explain(&visit.inside, serving, |_| Part::Commit);
        self.explain(&visit.outside, serving, |start_ns| {
            if start_ns < at_ns {
                Part::BeforeCommit
            } else {
                rest
            }
        });
    }

    /// Adds what of `segments` is in `serving`; their start tells their part.
    fn explain(&mut self, segments: &[Segment], serving: TimeRange, part: impl Fn(u64) -> Part) {
        for segment in segments {
            let window = TimeRange::new(segment.start_ns, segment.end_ns).intersection(serving);
            if !window.is_empty() {
                let key = (part(window.start_ns), segment.cause.number(), segment.stack);
                self.explained.entry(key).or_insert((segment.cause, 0)).1 += window.length_ns();
            }
        }
    }

    /// The sums of the parts.
    pub(crate) fn total(&self) -> ResponseTotal {
        let [lag_ns, client_ns, before_ns, commit_ns, after_ns] = self.lengths;
        ResponseTotal {
            requests: self.requests,
            unjoined: self.unjoined,
            untraced: self.untraced,
            total_ns: self.lengths.iter().sum(),
            lag_ns,
            client_ns,
            before_ns,
            commit_ns,
            after_ns,
        }
    }

    /// All of the time, by part, and by cause and kernel stack where these are known; nothing twice.
    pub(crate) fn by_stack(&self) -> impl Iterator<Item = (Part, Option<Cause>, Option<u32>, u64)> {
        let mut left = self.lengths;
        for (&(part, ..), &(_, ns)) in &self.explained {
            left[part as usize] = left[part as usize].saturating_sub(ns);
        }
        let explained = self.explained.iter();
        let explained = explained.map(|(&(part, _, stack), &(cause, ns))| (part, Some(cause), stack, ns));
        let left = Part::ALL.into_iter().zip(left).filter(|&(_, ns)| ns > 0);
        explained.chain(left.map(|(part, ns)| {
            // Every commit is explained: time of one that is missing here is owed.
            let owed = (part == Part::Commit).then_some(Cause::UNEXPLAINED);
            (part, owed, None, ns)
        }))
    }
}
