//! Progress of a running drive.

use hdrhistogram::Histogram;
use logtrace_common::TimeRange;

/// Listener that follows a drive.
pub trait Watch {
    /// Receives the measured window, some milliseconds before it starts. Called once, after the warm-up.
    fn window(&mut self, window: TimeRange) {
        let _ = window;
    }

    /// Receives the progress, about once a second.
    fn progress(&mut self, progress: &Progress<'_>) {
        let _ = progress;
    }
}

/// Listener that ignores everything.
impl Watch for () {}

/// Progress of a drive.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Current stage.
    pub stage: Stage,
    /// Whole seconds since the start of the stage. They continue through the grace period after the window.
    pub seconds: u64,
    /// Number of requests done in this stage.
    pub done: u64,
    /// Number of requests done in the last second.
    pub done_last_second: u64,
    /// Response times of the last second, in nanoseconds.
    pub response: &'a Histogram<u64>,
    /// Number of due requests that wait for a connection.
    pub backlog: u64,
}

/// Stage of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Warm-up: requests are not recorded.
    Warmup,
    /// Measured window and the grace period after it.
    Window,
}
