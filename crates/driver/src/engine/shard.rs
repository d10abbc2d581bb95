//! One thread of a drive: its connections, and everything that happens on them.

use std::rc::Rc;
use std::sync::mpsc;
use std::thread::{self, Builder, JoinHandle};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::connection::prepare;
use crate::engine::event_loop::Session;
use crate::engine::phases::{measure, warm_up};
use crate::engine::reconnect::connect;
use crate::engine::shard_result::Part;
use crate::engine::shard_state::{Common, Floor};
use crate::engine::share::Share;
use crate::error::DriveError;
use crate::pacing::pacer::{Pacer, Rest};
use crate::results::merge_seconds::Interval;
use crate::results::result::Ended;
use crate::util::clock::{NS_PER_S, now_ns};
use crate::util::runtime::on_this_thread;

/// Longest wait for the server to see the connections end.
const GOODBYE_NS: u64 = NS_PER_S;

/// A shard, as the drive sees it.
pub(crate) struct Shard {
    /// The next stage goes in here.
    pub(crate) stages: UnboundedSender<TimeRange>,
    thread: JoinHandle<()>,
}

/// What a shard tells the drive.
pub(crate) enum Told {
    /// All of its connections are made and prepared.
    Seated,
    /// An interval of the current stage has ended.
    Interval(Box<Interval>),
    /// The warm-up is over; whether any connection is left.
    WarmedUp(bool),
    /// The window and the grace are over.
    Measured(Box<Part>),
    /// It cannot go on.
    Failed(DriveError),
}

/// What a shard does for whom.
pub(crate) struct Task {
    pub(crate) config: DriveConfig,
    pub(crate) share: Share,
    /// What it has in common with the other shards.
    pub(crate) common: Common,
    /// Whom it tells.
    pub(crate) told: mpsc::Sender<(usize, Told)>,
}

impl Shard {
    /// Starts the thread, which connects at once.
    pub(crate) fn start(task: Task) -> Result<Self, DriveError> {
        let (stages, ordered) = unbounded_channel();
        let thread = Builder::new()
            .name(format!("logtrace-drive-{}", task.share.number))
            .spawn(move || {
                let done = on_this_thread(task.serve(ordered)).map_err(DriveError::from);
                if let Err(error) = done.flatten() {
                    task.tell(Told::Failed(error));
                }
            })
            .map_err(DriveError::Thread)?;
        Ok(Self { stages, thread })
    }

    /// Waits until its connections are gone.
    pub(crate) fn join(self) {
        drop(self.stages);
        // A panic has been printed, and its shard missed, already.
        let _ = self.thread.join();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.tell_of_panic();
    }
}

impl Task {
    /// Serves a warm-up and a window; ends early when the drive does not order them any more.
    async fn serve(&self, mut stages: UnboundedReceiver<TimeRange>) -> Result<(), DriveError> {
        let floor = Floor::new(self.share.of(self.config.connections.get()).count(), &self.common);
        let mut connections = tokio::select! {
            seated = self.seat_all(&floor) => seated?,
            () = self.common.cancel.cancelled() => return Err(DriveError::Cancelled),
        };
        let rest = if self.config.spin {
            Rest::OnCpu
        } else {
            Rest::Asleep
        };
        let mut session = Session {
            floor,
            pacer: Pacer::new(rest).map_err(DriveError::Timer)?,
            cancel: self.common.cancel.clone(),
        };
        self.tell(Told::Seated);
        if let Some(span) = stages.recv().await {
            let mut tell = |interval| self.tell(Told::Interval(Box::new(interval)));
            let ended = warm_up(&self.config, self.share, span, &mut session, &mut tell).await?;
            self.tell(Told::WarmedUp(ended != Ended::ServerGone));
        }
        if let Some(span) = stages.recv().await {
            session.floor.is_observed.set(true);
            let mut tell = |interval| self.tell(Told::Interval(Box::new(interval)));
            let part = measure(&self.config, self.share, span, &mut session, &mut tell).await?;
            self.tell(Told::Measured(Box::new(part)));
        }
        session.floor.board.borrow_mut().close();
        tokio::select! {
            () = async { while connections.join_next().await.is_some() {} } => {}
            waited = session.pacer.until(now_ns() + GOODBYE_NS) => waited.map_err(DriveError::Timer)?,
        }
        // A connection that is still busy now ends with the set that holds it.
        Ok(())
    }

    /// Connects and prepares all, and then lets them wait for requests.
    async fn seat_all(&self, floor: &Rc<Floor>) -> Result<JoinSet<()>, DriveError> {
        let config = &self.config;
        let mut servings = Vec::new();
        for (place, number) in self.share.of(config.connections.get()).enumerate() {
            let mut seat = floor.seat(place, number, config);
            let conn = connect(&mut seat).await?;
            let serving = prepare(&config.requests, conn, seat).await;
            servings.push(serving.map_err(|reason| DriveError::Prepare {
                workload: config.requests.name().to_owned(),
                reason,
            })?);
        }
        let mut connections = JoinSet::new();
        for serving in servings {
            connections.spawn_local(serving);
        }
        Ok(connections)
    }

    /// Says so if the thread panics: nobody else would.
    fn tell_of_panic(&self) {
        if thread::panicking() {
            self.tell(Told::Failed(DriveError::Lost));
        }
    }

    fn tell(&self, told: Told) {
        // Nobody listens any more when another shard failed.
        let _ = self.told.send((self.share.number, told));
    }
}
