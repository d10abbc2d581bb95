//! A window in parts: what the server did in each of them, and what its commits waited for.

use std::collections::BTreeMap;

use logtrace_report::cause::Cause;
use logtrace_report::document::Document;

/// The parts of one window, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Length of a part in nanoseconds, above 0; 100 ms is usual.
    pub part_ns: u64,
    /// The parts, in the order of time.
    pub parts: Vec<Part>,
    /// Whether commits are known part by part: all of the window was traced.
    pub traced: bool,
    /// The server's `sync_binlog`, where it is known.
    pub sync_binlog: Option<u64>,
}

/// One part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Requests that were done in it.
    pub done: u64,
    /// Commits that ended in it; 0 where that is not told.
    pub ended: u64,
    /// Commits that were under way in it and did not end; 0 where that is not told.
    pub held: u64,
    /// What all these commits waited for in it: nanoseconds.
    pub causes: BTreeMap<Cause, u64>,
}

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// Those of a part of the run document.
const TENTH: u64 = SECOND / 10;

impl Course {
    /// Of the window of a run; empty where the document does not tell it. What commits waited for is there for parts in which
    /// few of them ended.
    pub fn new(document: &Document) -> Self {
        let driver = document
            .driver
            .as_ref()
            .filter(|driver| !driver.per_tenth.is_empty());
        let Some((driver, workload)) = driver.zip(document.workload.as_ref()) else {
            return Self {
                part_ns: TENTH,
                ..Self::default()
            };
        };
        // The document goes on behind the window, and ends with the last request.
        let done = driver.per_tenth.iter().copied().chain(std::iter::repeat(0));
        let done = done.take(whole(workload.duration_s * 10.0));
        let mut parts: Vec<Part> = done
            .map(|done| Part {
                done,
                ..Part::default()
            })
            .collect();
        for slow in document.commits.iter().flat_map(|commits| &commits.slow_tenths) {
            let place = usize::try_from(slow.at / TENTH).unwrap_or(usize::MAX);
            if let Some(part) = parts.get_mut(place) {
                part.ended = slow.ended;
                part.held = slow.under_way.saturating_sub(slow.ended);
                part.causes = slow.causes.iter().map(|row| (row.cause, row.total)).collect();
            }
        }
        let sync_binlog = document.server.settings.get("sync_binlog");
        Self {
            part_ns: TENTH,
            parts,
            traced: document.tracer.is_some() && document.gaps().is_none(),
            sync_binlog: sync_binlog.and_then(|value| value.parse().ok()),
        }
    }

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
    /// Takes in the part that follows: what was under way there and did not end is under way at the end of both.
    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.ended += other.ended;
        self.held = other.held;
        for (cause, total) in &other.causes {
            *self.causes.entry(*cause).or_default() += total;
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tenths of a window: at least 0, and few; what is beyond saturates"
)]
fn whole(number: f64) -> usize {
    // A window of 0.3 s has three tenths, whatever 0.3 * 10 rounds to.
    (number + 1e-6).floor() as usize
}
