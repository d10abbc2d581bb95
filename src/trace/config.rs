//! Configuration of a trace.

use std::path::PathBuf;
use std::time::Duration;

use logtrace_server::ObservedChoice;

use crate::measurement::TracingConfig;

/// Checked configuration of a trace.
#[derive(Clone, Debug)]
pub(crate) struct TraceConfig {
    pub(crate) server: ObservedChoice,
    /// Length of the window; `None` to trace until a signal.
    pub(crate) duration: Option<Duration>,
    pub(crate) tracing: TracingConfig,
    /// Seconds between two lines with figures, if they are wanted.
    pub(crate) report_every_s: Option<u64>,
    /// Directory in which run directories are created.
    pub(crate) out: PathBuf,
}
