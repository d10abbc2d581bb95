//! The loop that waits for due times and hands requests out.

use std::rc::Rc;

use tokio_util::sync::CancellationToken;

use crate::engine::shard_state::Floor;
use crate::engine::ticker::Ticks;
use crate::error::DriveError;
use crate::pacing::pacer::Pacer;
use crate::results::result::Ended;
use crate::util::clock::now_ns;

/// What the stages of one drive share.
pub(crate) struct Session {
    pub(crate) floor: Rc<Floor>,
    pub(crate) pacer: Pacer,
    pub(crate) cancel: CancellationToken,
}

impl Session {
    /// Hands out the source's requests as they fall due, until `end_ns` or an earlier end.
    pub(crate) async fn run(&mut self, ticks: &mut Ticks<'_>, end_ns: u64) -> Result<Ended, DriveError> {
        self.floor.draining.set(false);
        loop {
            let now = now_ns();
            if self.floor.board.borrow_mut().release(now) {
                // The connections send first: looking for the next due time and setting the timer can wait.
                tokio::task::yield_now().await;
            }
            ticks.catch_up(now, &self.floor);
            if self.floor.is_empty() {
                return Ok(Ended::ServerGone);
            }
            if self.cancel.is_cancelled() {
                return Ok(Ended::Interrupted);
            }
            if now >= end_ns {
                return Ok(Ended::Completed);
            }
            let due = self.floor.board.borrow_mut().next_due_ns(now);
            let at = due.unwrap_or(end_ns).min(end_ns).min(ticks.next_ns());
            self.wait(at).await?;
        }
    }

    /// Waits until nothing waits or runs any more, but not beyond `until_ns`; returns how many requests still run.
    pub(crate) async fn drain(&mut self, ticks: &mut Ticks<'_>, until_ns: u64) -> Result<u64, DriveError> {
        self.floor.draining.set(true);
        loop {
            let now = now_ns();
            ticks.catch_up(now, &self.floor);
            let drained = self.floor.board.borrow().is_drained();
            if drained || self.floor.is_empty() || now >= until_ns {
                return Ok(self.floor.board.borrow().counts().running);
            }
            let at = until_ns.min(ticks.next_ns());
            tokio::select! {
                waited = self.pacer.until(at) => waited.map_err(DriveError::Timer)?,
                () = self.floor.quiet.notified() => {}
            }
        }
    }

    /// Ends the source, drops what waits, and returns how many requests that were.
    pub(crate) fn shut_and_drop_backlog(&mut self) -> u64 {
        let mut board = self.floor.board.borrow_mut();
        board.shut();
        board.drop_backlog()
    }

    async fn wait(&mut self, at_ns: u64) -> Result<(), DriveError> {
        if at_ns <= now_ns() {
            // Due already. The connections must run in between, or a high rate would starve them.
            tokio::task::yield_now().await;
            return Ok(());
        }
        tokio::select! {
            biased;
            waited = self.pacer.until(at_ns) => waited.map_err(DriveError::Timer),
            () = self.cancel.cancelled() => Ok(()),
            () = self.floor.quiet.notified() => Ok(()),
        }
    }
}
