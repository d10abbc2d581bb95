//! Parts of `run.json` that the analysis fills.

use logtrace_attribution::breakdown::{Breakdown, CauseRow, OverTime};
use logtrace_attribution::cause::Wait;
use logtrace_common::{TimeRange, units};

use crate::document::{Document, StepCommits, TracedParts, Tracer};

impl Document {
    /// Sets `response`, `commits`, `causes`, `unexplained`, `last_resort`, `stages`, `statements`, `groups`, `holders`, `files`,
    /// `devices` and `unclassified` from the analysis, and the commits of each step of a driver that is set before.
    ///
    /// The caller sets the server, the workload, the driver, the tracer's account and the caveats.
    pub fn set_breakdown(&mut self, breakdown: &Breakdown, traced: TracedParts) {
        let breakdown = breakdown.clone();
        self.response = Some(breakdown.response).filter(|response| response.requests > 0);
        self.commits = Some(breakdown.commits);
        self.unexplained = unexplained(&breakdown.causes);
        self.last_resort = last_resort(&breakdown.causes);
        self.causes = breakdown.causes;
        // A thread of a pool does not wait for the client that it serves, so that only records of statements tell them apart.
        let is_apart = breakdown.is_pooled || self.server.thread_pool().is_none();
        // Without files no wait has a reason.
        self.stages = breakdown.stages.filter(|_| traced.files && is_apart);
        self.statements = breakdown.statements.filter(|_| is_apart);
        self.groups = traced.groups.then(|| breakdown.groups.unwrap_or_default());
        self.holders = Some(breakdown.holders);
        self.files = traced.files.then_some(breakdown.files);
        self.devices = traced.devices.then_some(breakdown.devices);
        self.unclassified = breakdown.unclassified;
        self.set_step_commits(&breakdown.over_time);
    }

    fn set_step_commits(&mut self, over_time: &OverTime) {
        let steps = self.driver.iter_mut().flat_map(|driver| &mut driver.steps);
        for step in steps {
            let part = TimeRange::new(step.at, step.at.saturating_add(step.length));
            step.commits = Some(StepCommits::of(over_time, part));
        }
    }
}

impl Tracer {
    /// Returns the same account with what an explanation of the recording counted.
    ///
    /// `unmatched` stays: it also counts events that the kernel side could not match, and the recording does not tell these
    /// from the others.
    pub fn explained_again(&self, breakdown: &Breakdown, undecodable: u64) -> Self {
        Self {
            undecodable,
            invariant_violations: breakdown.invariant_violations,
            contradictions: breakdown.contradictions(),
            gaps: breakdown.gaps,
            ..self.clone()
        }
    }
}

/// Returns the nanoseconds of `causes` that no record explains, of all threads.
pub(crate) fn unexplained(causes: &[CauseRow]) -> u64 {
    let rows = causes.iter().filter(|row| row.cause.wait == Wait::Unexplained);
    units::sum(rows.map(|row| row.total))
}

/// Returns the commit time that only a rule of last resort names.
pub(crate) fn last_resort(causes: &[CauseRow]) -> u64 {
    let rows = causes.iter().filter(|row| row.cause.is_last_resort());
    rows.map(|row| row.total).sum()
}
