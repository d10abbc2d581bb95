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
        self.document.caveats.iter().map(|caveat| caveat.kind.to_string())
    }

    /// Returns how many CPUs were busy outside of the server on average, if that is known.
    pub(crate) fn outside_cpus(&self) -> Option<f64> {
        let cpu = self.document.cpu.as_ref()?;
        let outside_ns = cpu.machine.as_ref()?.total.saturating_sub(cpu.server.total);
        let seconds = self.document.window_s()?;
        (seconds > 0.0).then(|| outside_ns as f64 / 1e9 / seconds)
    }
}
