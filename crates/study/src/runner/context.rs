//! Study that is being measured.

use logtrace_measure::measurement::{Line, Signals};
use logtrace_measure::run::CpuPlacement;
use logtrace_server::Home;

use crate::plan::Plan;
use crate::runner::directory::StudyDir;

/// Study that is being measured: what its checks, its servers and its measurements share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudyContext<'a> {
    /// Plan.
    pub(crate) plan: &'a Plan,
    /// Directory of the study.
    pub(crate) dir: &'a StudyDir,
    /// Directories for private servers.
    pub(crate) home: &'a Home,
    /// CPUs of the servers and of logtrace.
    pub(crate) cpus: &'a CpuPlacement,
    /// Signals that end the study.
    pub(crate) signals: &'a Signals,
    /// Line that shows the current step.
    pub(crate) line: &'a Line,
}
