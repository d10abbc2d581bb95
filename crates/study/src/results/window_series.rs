//! Slices of a window: requests, commits and their causes in each.

use std::collections::BTreeMap;

use logtrace_attribution::cause::Cause;
use logtrace_report::document::Document;

/// Slices of a window, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowSeries {
    /// Length of a slice in nanoseconds, above 0. Usually 100 ms.
    pub slice_ns: u64,
    /// Slices, in the order of time.
    pub slices: Vec<WindowSlice>,
    /// Whether commits are known for each slice, because all of the window was traced.
    pub traced: bool,
    /// Variable `sync_binlog` of the server, where it is known.
    pub sync_binlog: Option<u64>,
}

/// Slice of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowSlice {
    /// Requests that were done in the slice.
    pub done: u64,
    /// Commits that ended in the slice; 0 where that is unknown.
    pub ended: u64,
    /// Commits that were under way in the slice and did not end; 0 where that is unknown.
    pub held: u64,
    /// Causes of the waiting time of all these commits in the slice, in nanoseconds.
    pub causes: BTreeMap<Cause, u64>,
}

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;
/// Length of a slice in the run document.
const TENTH: u64 = SECOND / 10;

impl WindowSeries {
    /// Reads the slices from the document of a run. Empty if the document has no requests by tenth of a second. Causes are
    /// known for slices in which few commits ended.
    pub fn new(document: &Document) -> Self {
        let done = document.done_by_tenth();
        if done.is_empty() {
            return Self {
                slice_ns: TENTH,
                ..Self::default()
            };
        }
        let mut slices: Vec<WindowSlice> = done
            .into_iter()
            .map(|done| WindowSlice {
                done,
                ..WindowSlice::default()
            })
            .collect();
        for slow in document.commits.iter().flat_map(|commits| &commits.slow_tenths) {
            let index = usize::try_from(slow.at / TENTH).unwrap_or(usize::MAX);
            if let Some(slice) = slices.get_mut(index) {
                slice.ended = slow.ended;
                slice.held = slow.under_way.saturating_sub(slow.ended);
                slice.causes = slow.causes.iter().map(|row| (row.cause, row.total)).collect();
            }
        }
        let sync_binlog = document.server.settings.get("sync_binlog");
        Self {
            slice_ns: TENTH,
            slices,
            traced: document.tracer.is_some() && document.gaps().is_none(),
            sync_binlog: sync_binlog.and_then(|value| value.parse().ok()),
        }
    }

    /// Returns the requests in each whole second of the window. A slice must divide the second.
    pub fn per_second(&self) -> Vec<f64> {
        let slices = usize::try_from(SECOND / self.slice_ns.max(1)).unwrap_or(1).max(1);
        let seconds = self.slices.chunks_exact(slices);
        seconds
            .map(|second| second.iter().map(|slice| slice.done as f64).sum())
            .collect()
    }

    /// Returns the requests in each slice.
    pub fn done(&self) -> Vec<f64> {
        self.slices.iter().map(|slice| slice.done as f64).collect()
    }
}

impl WindowSlice {
    /// Adds the slice that follows. Commits that did not end there are under way at the end of both.
    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.ended += other.ended;
        self.held = other.held;
        for (cause, total) in &other.causes {
            *self.causes.entry(*cause).or_default() += total;
        }
    }
}
