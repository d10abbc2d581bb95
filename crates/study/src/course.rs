//! A window in parts: what the server did in each of them, and what its commits waited for.

use std::collections::BTreeMap;

use logtrace_report::cause::Cause;

/// The parts of one window, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Length of a part in nanoseconds, above 0; 100 ms is usual.
    pub part_ns: u64,
    /// The parts, in the order of time.
    pub parts: Vec<Part>,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Requests that were done in it.
    pub done: u64,
    /// Commits that ended in it.
    pub commits: u64,
    /// What these commits waited for, each in its whole length: nanoseconds.
    pub causes: BTreeMap<Cause, u64>,
}

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

impl Course {
    /// Requests a second, for each whole second of the window. A part must divide the second.
    pub fn per_second(&self) -> Vec<f64> {
        let parts = usize::try_from(SECOND / self.part_ns.max(1)).unwrap_or(1).max(1);
        let seconds = self.parts.chunks_exact(parts);
        seconds
            .map(|second| second.iter().map(|part| part.done as f64).sum())
            .collect()
    }

    /// Requests in each part.
    pub fn done(&self) -> Vec<f64> {
        self.parts.iter().map(|part| part.done as f64).collect()
    }
}

impl Part {
    /// Both together.
    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.commits += other.commits;
        for (cause, total) in &other.causes {
            *self.causes.entry(*cause).or_default() += total;
        }
    }
}
