//! Loop that waits for due times and dispatches requests.

use std::rc::Rc;

use tokio_util::sync::CancellationToken;

use crate::engine::shard_state::ShardState;
use crate::engine::ticker::Ticker;
use crate::error::DriveError;
use crate::pacing::pacer::Pacer;
use crate::results::result::EndReason;
use crate::util::clock::now_ns;

/// Event loop of one shard, for all phases of a drive.
pub(crate) struct EventLoop {
    pub(crate) state: Rc<ShardState>,
    pub(crate) pacer: Pacer,
    pub(crate) cancel: CancellationToken,
}

impl EventLoop {
    /// Dispatches requests as they fall due, until `end_ns` or an earlier end.
    pub(crate) async fn run(
        &mut self,
        ticker: &mut Ticker<'_>,
        end_ns: u64,
    ) -> Result<EndReason, DriveError> {
        self.state.draining.set(false);
        loop {
            let now = now_ns();
            if self.state.dispatcher.borrow_mut().release(now) {
                // Let the connections send before the next due time is looked up and the timer is set.
                tokio::task::yield_now().await;
            }
            ticker.catch_up(now, &self.state);
            if self.state.is_empty() {
                return Ok(EndReason::ServerGone);
            }
            if self.cancel.is_cancelled() {
                return Ok(EndReason::Interrupted);
            }
            if now >= end_ns {
                return Ok(EndReason::Completed);
            }
            let due = self.state.dispatcher.borrow_mut().next_due_ns(now);
            let at = due.unwrap_or(end_ns).min(end_ns).min(ticker.next_ns());
            self.wait(at).await?;
        }
    }

    /// Waits until no request waits or runs, but not beyond `until_ns`. Returns how many requests still run.
    pub(crate) async fn drain(&mut self, ticker: &mut Ticker<'_>, until_ns: u64) -> Result<u64, DriveError> {
        self.state.draining.set(true);
        loop {
            let now = now_ns();
            ticker.catch_up(now, &self.state);
            let drained = self.state.dispatcher.borrow().is_drained();
            if drained || self.state.is_empty() || now >= until_ns {
                return Ok(self.state.dispatcher.borrow().counts().running);
            }
            let at = until_ns.min(ticker.next_ns());
            tokio::select! {
                waited = self.pacer.until(at) => waited.map_err(DriveError::Timer)?,
                () = self.state.changed.notified() => {}
            }
        }
    }

    /// Ends the source, drops the backlog, and returns the number of requests in it.
    pub(crate) fn shut_and_drop_backlog(&mut self) -> u64 {
        let mut dispatcher = self.state.dispatcher.borrow_mut();
        dispatcher.shut();
        dispatcher.drop_backlog()
    }

    async fn wait(&mut self, at_ns: u64) -> Result<(), DriveError> {
        if at_ns <= now_ns() {
            // The request is due already. Let the connections run, or a high rate would starve them.
            tokio::task::yield_now().await;
            return Ok(());
        }
        tokio::select! {
            biased;
            waited = self.pacer.until(at_ns) => waited.map_err(DriveError::Timer),
            () = self.cancel.cancelled() => Ok(()),
            () = self.state.changed.notified() => Ok(()),
        }
    }
}
