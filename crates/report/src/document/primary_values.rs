//! Values of the primary figures of a run.

use logtrace_common::units::{real, whole};

use crate::document::{Document, PrimaryFigure};

/// Tenths of a second.
const TENTHS_A_SECOND: f64 = 10.0;

impl Document {
    /// Returns a primary figure; `None` if it was not measured, or if there was nothing to measure.
    pub fn primary(&self, figure: PrimaryFigure) -> Option<f64> {
        let driver = self.driver.as_ref();
        let response = driver
            .map(|driver| &driver.response)
            .filter(|response| response.count > 0);
        let commits = self.commits.as_ref().filter(|commits| commits.count > 0);
        match figure {
            PrimaryFigure::Requests => driver.map(|driver| driver.achieved_per_s),
            PrimaryFigure::Commits => {
                Some(real(self.commits.as_ref()?.count) / self.trace.as_ref()?.duration_s)
            }
            PrimaryFigure::ResponseMean => response.map(|response| real(response.mean)),
            PrimaryFigure::ResponseP99 => response.map(|response| real(response.p99)),
            // Not `distribution.mean`, which is a whole number: the parts of a commit sum to this one.
            PrimaryFigure::CommitMean => commits.map(|commits| real(commits.total) / real(commits.count)),
            PrimaryFigure::CommitP99 => commits.map(|commits| real(commits.distribution.p99)),
            PrimaryFigure::ServerCpu(work) => {
                Some(real(self.cpu.as_ref()?.server.total) / real(self.work(work)?))
            }
        }
    }

    /// Returns the requests that were done in each tenth of a second of the window; empty where that is unknown.
    pub fn done_by_tenth(&self) -> Vec<u64> {
        let driver = self.driver.as_ref().filter(|driver| !driver.per_tenth.is_empty());
        let Some((driver, workload)) = driver.zip(self.workload.as_ref()) else {
            return Vec::new();
        };
        // The document continues after the window, and ends with the last request. A window of 0.3 s has three tenths, even if
        // 0.3 * 10 is rounded down.
        let tenths = whole((workload.duration_s * TENTHS_A_SECOND + 1e-6).floor());
        let done = driver.per_tenth.iter().copied().chain(std::iter::repeat(0));
        done.take(usize::try_from(tenths).unwrap_or(usize::MAX)).collect()
    }
}
