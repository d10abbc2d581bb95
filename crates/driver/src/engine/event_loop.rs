//! Loop that waits for due times and dispatches requests.

use std::rc::Rc;

use anyhow::Context;

use crate::engine::shard_state::ShardState;
use crate::engine::ticker::Ticker;
use crate::pacing::Pacer;
use crate::results::EndReason;
use crate::util::clock::now_ns;

/// Failure of the timer.
pub(crate) const WAIT: &str = "cannot wait for the next due time";

/// Event loop of one shard, for all phases of a drive.
pub(crate) struct EventLoop {
    pub(crate) state: Rc<ShardState>,
    pub(crate) pacer: Pacer,
}

impl EventLoop {
    /// Dispatches requests as they fall due, until `end_ns` or an earlier end.
    pub(crate) async fn run(&mut self, ticker: &mut Ticker<'_>, end_ns: u64) -> anyhow::Result<EndReason> {
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
            if self.state.drive.cancel.is_cancelled() {
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

    /// Waits until no request waits or runs, but not beyond `until_ns`. A signal during the wait ends it.
    pub(crate) async fn drain(&mut self, ticker: &mut Ticker<'_>, until_ns: u64) -> anyhow::Result<()> {
        self.state.draining.set(true);
        let cancel = self.state.drive.cancel.clone();
        let was_cancelled = cancel.is_cancelled();
        loop {
            let now = now_ns();
            ticker.catch_up(now, &self.state);
            let drained = self.state.dispatcher.borrow().is_drained();
            if drained || self.state.is_empty() || now >= until_ns || cancel.is_cancelled() != was_cancelled {
                return Ok(());
            }
            let at = until_ns.min(ticker.next_ns());
            tokio::select! {
                waited = self.pacer.until(at) => waited.context(WAIT)?,
                () = self.state.changed.notified() => {}
                () = cancel.cancelled(), if !was_cancelled => {}
            }
        }
    }

    async fn wait(&mut self, at_ns: u64) -> anyhow::Result<()> {
        if at_ns <= now_ns() {
            // The request is due already. Let the connections run, or a high rate would starve them.
            tokio::task::yield_now().await;
            return Ok(());
        }
        tokio::select! {
            biased;
            waited = self.pacer.until(at_ns) => waited.context(WAIT),
            () = self.state.drive.cancel.cancelled() => Ok(()),
            () = self.state.changed.notified() => Ok(()),
        }
    }
}
