//! Runtime that stays on the calling thread.

use std::future::Future;

use anyhow::{Context, ensure};
use tokio::runtime::{Builder, Handle, LocalOptions};

/// Number of tasks to run before sockets and the timer are checked again. Each may write to a socket (some 10 us), so
/// tokio's default of 61 could delay a due time by more than half a millisecond.
const EVENT_INTERVAL: u32 = 4;

/// Runs a future to its end on the calling thread.
///
/// Tasks stay on this thread, which waits for due times and also sends. Handing a request to another thread would add
/// some 30 us of lag.
pub fn on_this_thread<F: Future>(future: F) -> anyhow::Result<F::Output> {
    ensure!(
        Handle::try_current().is_err(),
        "the driver blocks its thread and cannot start inside another runtime: call it on another thread"
    );
    let runtime = Builder::new_current_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build_local(LocalOptions::default())
        .context("cannot start the driver's event loop")?;
    Ok(runtime.block_on(future))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nested_start_is_an_error_and_no_panic() {
        let nested = on_this_thread(async { on_this_thread(async {}) }).unwrap();
        assert!(nested.unwrap_err().to_string().contains("inside another runtime"));
    }
}
