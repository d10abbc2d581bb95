//! Run to compare.

use logtrace_attribution::breakdown::OverTime;
use logtrace_report::document::Document;

/// Run to compare.
#[derive(Clone, Debug)]
pub struct Run {
    /// Name for the reader: its directory.
    pub name: String,
    /// Results of the run.
    pub document: Document,
    /// Commits over time; absent if the run was not traced, or by an older version.
    pub over_time: Option<OverTime>,
}

impl Run {
    /// Returns the kinds of its caveats.
    pub(crate) fn caveats(&self) -> impl Iterator<Item = String> {
        self.document.caveats.iter().map(|caveat| caveat.kind.clone())
    }

    /// Returns how many CPUs were busy outside of the server on average, if that is known.
    pub(crate) fn outside_cpus(&self) -> Option<f64> {
        let cpu = self.document.cpu.as_ref()?;
        let outside_ns = cpu.machine.as_ref()?.total.saturating_sub(cpu.server.total);
        let seconds = self.document.window_s()?;
        (seconds > 0.0).then(|| outside_ns as f64 / 1e9 / seconds)
    }

    /// Returns the mean duration of a commit in nanoseconds, if there are commits.
    pub(crate) fn commit_mean_ns(&self) -> Option<f64> {
        let commits = self.document.commits.as_ref()?;
        (commits.count > 0).then(|| commits.total as f64 / commits.count as f64)
    }
}
