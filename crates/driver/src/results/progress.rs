//! What a caller can follow while a drive goes on.

use logtrace_common::TimeRange;

/// Follows a drive. Everything is called on the thread that also paces: return at once.
pub trait Watch {
    /// The measured window is about to start, some milliseconds from now. Called once, after the warm-up.
    fn window(&mut self, window: TimeRange) {
        let _ = window;
    }

    /// About one second has passed since the last call.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
}

/// Follows nothing.
impl Watch for () {}

/// How far a drive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it does now.
    pub stage: Stage,
    /// Whole seconds since the stage started; in the grace they go on from those of the window.
    pub seconds: u64,
    /// Requests done in this stage.
    pub done: u64,
    /// Requests done in the last second.
    pub done_last_second: u64,
    /// Requests that are due and wait for a connection.
    pub backlog: u64,
}

/// Parts of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is recorded.
    Warmup,
    /// Requests are recorded, in the window and in the grace after it.
    Window,
}
