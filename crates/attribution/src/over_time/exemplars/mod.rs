//! Commits that stand for others: the slowest, typical ones of each band of durations, and those of stalls.

mod captured;
pub(crate) mod document;
mod named;
mod parts;
mod slowest;
pub(crate) mod stalled;
pub(crate) mod typical;

pub(crate) use self::captured::JustExplained;

use std::sync::Arc;

use logtrace_common::{HeatMap, TimeRange};

use self::captured::Captured;
use self::document::Exemplars;
use self::named::{Facts, Naming};
use self::slowest::Slowest;
use self::stalled::Stalled;
use self::typical::Typical;
use crate::timeline::frames::FrameNames;

/// Limit on the records of a list of exemplars in the result. Those of later commits are left out.
const MOST_RECORDS: usize = 12_000;

/// Exemplars so far.
#[derive(Debug)]
pub(in crate::over_time) struct Choices {
    window: TimeRange,
    slowest: Slowest,
    typical: Typical,
    stalled: Stalled,
}

/// Exemplars of a run.
pub(in crate::over_time) struct Chosen {
    pub(in crate::over_time) slowest: Exemplars,
    pub(in crate::over_time) typical: Exemplars,
    pub(in crate::over_time) stalls: Exemplars,
}

impl Choices {
    /// Creates empty choices for a window.
    pub(in crate::over_time) fn new(window: TimeRange) -> Self {
        Self {
            window,
            slowest: Slowest::default(),
            typical: Typical::default(),
            stalled: Stalled::new(window),
        }
    }

    /// Adds a commit. It is copied only if it is chosen: few are.
    pub(in crate::over_time) fn add(&mut self, explained: JustExplained<'_>) {
        let is_slow = self.slowest.wants(explained.commit);
        let place = self.typical.place(explained.commit);
        let is_of_stall = self.stalled.wants(explained.commit);
        if !is_slow && place.is_none() && !is_of_stall {
            return;
        }
        let captured = explained.capture();
        if is_slow {
            self.slowest.add(Arc::clone(&captured));
        }
        if is_of_stall {
            self.stalled.add(Arc::clone(&captured));
        }
        if let Some(place) = place {
            self.typical.put(place, captured);
        }
    }

    /// Returns the exemplars, with names of the frames. `slow_tenths` are the starts of the tenths of a second in which few
    /// commits ended.
    pub(in crate::over_time) fn finish(
        &mut self,
        names: &FrameNames,
        commits: &HeatMap,
        slow_tenths: &[u64],
    ) -> Chosen {
        let slowest = self.slowest.finish().into_iter();
        let slowest = slowest.map(|captured| (captured, Facts::default()));
        let typical = self.typical.finish(commits).into_iter();
        let typical = typical.map(|(captured, shorter)| (captured, Facts::shorter(shorter)));
        let stalls = self.stalled.finish(slow_tenths).into_iter();
        let stalls = stalls.map(|(captured, at)| (captured, Facts::stall(at)));
        let start_ns = self.window.start_ns;
        Chosen {
            slowest: list(names, start_ns, slowest),
            typical: list(names, start_ns, typical),
            stalls: list(names, start_ns, stalls),
        }
    }
}

/// Returns a list of commits, each with the facts that only its kind has.
fn list(
    names: &FrameNames,
    start_ns: u64,
    commits: impl Iterator<Item = (Arc<Captured>, Facts)>,
) -> Exemplars {
    let mut naming = Naming::new(names, start_ns);
    let mut room = MOST_RECORDS;
    let mut named = Vec::new();
    for (captured, facts) in commits {
        let has_room = captured.records.len() <= room;
        room -= if has_room { captured.records.len() } else { 0 };
        named.push(naming.exemplar(&captured, facts, has_room));
    }
    naming.finish(named)
}
