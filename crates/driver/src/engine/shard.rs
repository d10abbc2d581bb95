//! Shards: threads of a drive, each with a part of its connections.

use std::rc::Rc;
use std::sync::mpsc;
use std::thread::{self, Builder, JoinHandle};

use anyhow::{Context, anyhow};
use mysql_async::Error;
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinSet;

use logtrace_common::{TimeRange, told};

use crate::engine::connection::prepare;
use crate::engine::event_loop::{EventLoop, WAIT};
use crate::engine::phases::run_phase;
use crate::engine::reconnect::connect;
use crate::engine::shard_result::ShardResult;
use crate::engine::shard_state::{DriveState, ShardState};
use crate::engine::share::Share;
use crate::error::DriveError;
use crate::pacing::Pacer;
use crate::results::merge_seconds::ShardSecond;
use crate::results::progress::Stage;
use crate::util::clock::{NS_PER_S, now_ns};
use crate::util::runtime::on_this_thread;

/// Longest wait for the connections to end.
const DISCONNECT_NS: u64 = NS_PER_S;

/// Message from a shard to the drive.
pub(crate) enum ShardMessage {
    /// All connections are made and prepared.
    Connected,
    /// An interval of the current phase has ended.
    Interval(Box<ShardSecond>),
    /// The phase is over.
    PhaseEnded(Box<ShardResult>),
    /// The shard cannot go on.
    Failed(DriveError),
}

/// Work of one shard.
pub(crate) struct ShardTask {
    pub(crate) share: Share,
    /// State shared with the other shards.
    pub(crate) shared: DriveState,
    /// Sender of messages to the drive, with the number of the shard.
    pub(crate) messages: mpsc::Sender<(usize, ShardMessage)>,
}

/// Returns the error of a thread that panicked. Its message is on stderr.
pub(crate) fn panicked() -> DriveError {
    anyhow!("a thread of the driver panicked: this is a bug in logtrace").into()
}

/// Reports a panic of the thread to the drive.
impl Drop for ShardTask {
    fn drop(&mut self) {
        if thread::panicking() {
            self.send(ShardMessage::Failed(panicked()));
        }
    }
}

impl ShardTask {
    /// Starts the thread of the shard, which connects immediately. The time range of each phase is received.
    pub(crate) fn start(self, phases: Receiver<TimeRange>) -> anyhow::Result<JoinHandle<()>> {
        let builder = Builder::new().name(format!("load-{}", self.share.number));
        let thread = builder.spawn(move || {
            let done = on_this_thread(self.serve(phases)).map_err(DriveError::from);
            if let Err(error) = done.flatten() {
                self.send(ShardMessage::Failed(error));
            }
        });
        thread.context("cannot start a thread for the connections")
    }

    /// Runs a warm-up and a window. Ends early when the drive sends no further phase.
    async fn serve(&self, mut phases: Receiver<TimeRange>) -> Result<(), DriveError> {
        let config = &self.shared.config;
        let slots = self.share.of(config.connections.get()).count();
        let state = ShardState::new(slots, &self.shared);
        let mut connections = tokio::select! {
            connected = self.connect_all(&state) => connected?,
            () = self.shared.cancel.cancelled() => return Err(DriveError::Cancelled),
        };
        let mut event_loop = EventLoop {
            state,
            pacer: Pacer::new(config.spin).context(WAIT)?,
        };
        self.send(ShardMessage::Connected);
        for stage in [Stage::Warmup, Stage::Window] {
            let Ok(range) = phases.recv().await else { break };
            event_loop.state.is_observed.set(stage == Stage::Window);
            let mut on_interval = |interval| self.send(ShardMessage::Interval(Box::new(interval)));
            let result = run_phase(self.share, (stage, range), &mut event_loop, &mut on_interval);
            self.send(ShardMessage::PhaseEnded(Box::new(result.await?)));
        }
        event_loop.state.dispatcher.borrow_mut().close();
        tokio::select! {
            () = async { while connections.join_next().await.is_some() {} } => {}
            waited = event_loop.pacer.until(now_ns() + DISCONNECT_NS) => waited.context(WAIT)?,
        }
        // A connection that is still busy ends when `connections` is dropped.
        Ok(())
    }

    /// Connects and prepares all connections, and then lets them wait for requests.
    async fn connect_all(&self, state: &Rc<ShardState>) -> Result<JoinSet<()>, DriveError> {
        let config = &self.shared.config;
        let mut servings = Vec::new();
        for (index, number) in self.share.of(config.connections.get()).enumerate() {
            let mut slot = state.slot(index, number);
            let conn = connect(&mut slot).await?;
            let serving = prepare(&config.requests, conn, slot).await;
            servings.push(serving.map_err(|(error, statement)| {
                unprepared(config.requests.name(), &error, statement.as_deref())
            })?);
        }
        let mut connections = JoinSet::new();
        for serving in servings {
            connections.spawn_local(serving);
        }
        Ok(connections)
    }

    fn send(&self, message: ShardMessage) {
        // The drive has stopped receiving if another shard failed.
        let _ = self.messages.send((self.share.number, message));
    }
}

/// Servers' errors for a missing table or database: `ER_NO_SUCH_TABLE`, `ER_BAD_DB_ERROR`.
const NO_TABLE: [u16; 2] = [1146, 1049];

/// Returns the error for statements that cannot be prepared.
fn unprepared(workload: &str, error: &Error, statement: Option<&str>) -> anyhow::Error {
    let statement = statement.map_or_else(String::new, |sql| format!(" The statement: {sql}"));
    let remedy = match error {
        Error::Server(error) if NO_TABLE.contains(&error.code) => ". Are its tables loaded?",
        _ => ".",
    };
    anyhow!(
        "cannot prepare the workload {workload}: {}{remedy}{statement}",
        told(error)
    )
}

#[cfg(test)]
mod tests {
    use mysql_async::ServerError;

    use super::*;

    #[test]
    fn the_tables_are_asked_for_only_where_one_is_missing() {
        let error = |code| {
            let server = ServerError {
                code,
                message: "it is so".to_owned(),
                state: "HY000".to_owned(),
            };
            unprepared("insert", &Error::Server(server), Some("SELECT 1")).to_string()
        };
        assert!(error(1146).contains("it is so") && error(1146).contains("Are its tables loaded?"));
        let other = error(1461);
        assert!(
            other.ends_with("The statement: SELECT 1") && !other.contains("loaded"),
            "{other}"
        );
    }
}
