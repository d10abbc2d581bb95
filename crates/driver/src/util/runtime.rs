//! The one thread on which everything of a drive runs.

use std::future::Future;
use std::io;

use thiserror::Error;
use tokio::runtime::{Builder, Handle, LocalOptions};

/// Why nothing could be started.
#[derive(Debug, Error)]
pub enum RuntimeError {
    /// The caller is asynchronous itself.
    #[error(
        "the driver blocks its thread and cannot start inside of another runtime: give it a thread of its own"
    )]
    Nested,
    /// The system refused a timer or an event queue.
    #[error("cannot start the driver's event loop")]
    Io(#[from] io::Error),
}

/// Tasks to run before sockets and the timer are looked at again. Each may write to a socket (some 10 us), so that
/// tokio's default of 61 could hold a due time back for more than half a millisecond.
const EVENT_INTERVAL: u32 = 4;

/// Runs a future to its end on the calling thread.
///
/// The runtime is local: tasks stay on this thread, which waits for due times and sends itself. Handing a request
/// to another thread would add some 30 us of lag.
pub(crate) fn on_this_thread<F: Future>(future: F) -> Result<F::Output, RuntimeError> {
    if Handle::try_current().is_ok() {
        return Err(RuntimeError::Nested);
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build_local(LocalOptions::default())?;
    Ok(runtime.block_on(future))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_start_is_an_error_and_no_panic() {
        let nested = on_this_thread(async { on_this_thread(async {}) }).unwrap();
        assert!(matches!(nested, Err(RuntimeError::Nested)));
    }
}
