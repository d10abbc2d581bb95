//! Configuration of a trace.

use std::path::PathBuf;
use std::time::Duration;

use logtrace_server::ObservedChoice;

use crate::measurement::TracingConfig;

/// Checked configuration of a trace.
#[derive(Clone, Debug)]
pub struct TraceConfig {
    /// Server to trace.
    pub server: ObservedChoice,
    /// Length of the window; `None` to trace until a signal.
    pub duration: Option<Duration>,
    /// Detail, sampling and rings of the trace.
    pub tracing: TracingConfig,
    /// Seconds between two lines with figures, if they are wanted.
    pub report_every_s: Option<u64>,
    /// Directory in which run directories are created.
    pub out: PathBuf,
}
