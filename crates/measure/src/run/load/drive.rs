//! Load of a run: tables, capacity, and the driver, which runs on a thread of its own.

use std::num::NonZeroUsize;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use logtrace_common::TimeRange;
use logtrace_driver::{
    CAPACITY_PART, CAPACITY_WARMUP, CancellationToken, Capacity, DEFAULT_GRACE, DriveConfig, DriveError,
    LoadConfig, Loaded, Observer, Pace, Progress, Stage, Target, Watch, drop_database, lasting_capacity,
    load,
};
use logtrace_events::Request;
use tokio::sync::oneshot;

use crate::config::run_config::{Pacing, RunConfig};
use crate::measurement::{Interrupted, Line, Live, Signals, WindowSignal};

/// Database of the workload's tables. It is marked as created by logtrace, and removed after the run.
pub const DATABASE: &str = "logtrace";

/// Number of tables that are loaded at the same time.
const LOADERS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Creates and fills the tables, unless an earlier run kept them. Returns which of both.
///
/// A signal takes effect after the first rows: only then is the database marked, so that it is removed.
pub(crate) async fn load_tables(
    config: &RunConfig,
    target: &Target,
    signals: &Signals,
    line: &Line,
) -> anyhow::Result<Loaded> {
    let load_config = LoadConfig {
        target: target.clone(),
        requests: config.requests.clone(),
        dataset: config.dataset,
        create_database: true,
        connections: LOADERS,
        session: config.session.clone(),
        globals: config.settings.clone(),
    };
    let line = line.clone();
    let (first, has_rows) = oneshot::channel();
    let mut first = Some(first);
    let mut follow = move |progress| {
        // The receiver is gone if the run was aborted.
        let _ = first.take().map(|first| first.send(()));
        line.loaded(progress);
    };
    let to_end = async {
        signals.end.cancelled().await;
        // An error means that the load has ended.
        let _ = has_rows.await;
    };
    tokio::select! {
        loaded = on_own_thread(move || load(&load_config, &mut follow)) => with_remedy(loaded?),
        () = to_end => Err(Interrupted::Early.into()),
    }
}

fn with_remedy(loaded: Result<Loaded, DriveError>) -> anyhow::Result<Loaded> {
    match loaded {
        Err(error) if error.is_denied() => bail!(
            "{:#}. Let an administrator GRANT ALL ON {DATABASE}.* TO the user of --server, or choose another user",
            anyhow::Error::from(error)
        ),
        Err(DriveError::NotOurs(name)) => bail!(
            "the server has a database {name} that logtrace did not make: nothing in it was touched. Rename or \
             remove it, or measure another server"
        ),
        loaded => Ok(loaded?),
    }
}

/// Returns the pace, and the capacity if the rate is a share of it: then the capacity is measured first, for 9 s or
/// longer.
pub(crate) async fn pace(
    config: &RunConfig,
    target: &Target,
    cancel: &CancellationToken,
    line: &Line,
) -> anyhow::Result<(Pace, Option<Capacity>)> {
    let (offer, arrivals) = match &config.pacing {
        Pacing::Known(pace) => return Ok((pace.clone(), None)),
        Pacing::Share(offer, arrivals) => (offer, *arrivals),
    };
    line.say("measuring what the server can do");
    let mut probe = drive_config(config, target, Pace::Closed, config.connections.closed());
    (probe.warmup, probe.duration) = (CAPACITY_WARMUP, CAPACITY_PART);
    let cancel = cancel.clone();
    let capacity = on_own_thread(move || lasting_capacity(&probe, &cancel))
        .await?
        .context("cannot measure the capacity")?;
    Ok((
        offer.pace(arrivals, config.duration, capacity.per_s)?,
        Some(capacity),
    ))
}

/// Receivers of the finished requests of the window.
#[derive(Debug, Default)]
pub(crate) struct RequestSinks {
    /// Explanation of the trace.
    pub(crate) explained: Option<mpsc::Sender<Request>>,
    /// Saved requests.
    pub(crate) saved: Option<mpsc::Sender<Option<Request>>>,
}

impl RequestSinks {
    /// Returns an observer that sends each request to the receivers, or `None` without any.
    pub(crate) fn observer(self) -> Option<Observer> {
        if self.explained.is_none() && self.saved.is_none() {
            return None;
        }
        Some(Arc::new(move |request| {
            // A receiver is gone if the tracer failed, or the disk is full.
            if let Some(explained) = &self.explained {
                let _ = explained.send(*request);
            }
            if let Some(saved) = &self.saved {
                let _ = saved.send(Some(*request));
            }
        }))
    }
}

/// Removes the tables. Returns whether their database is gone: one without the mark of logtrace was not used, and stays.
pub async fn drop_tables(target: Target) -> anyhow::Result<bool> {
    match on_own_thread(move || drop_database(&target)).await? {
        Err(DriveError::NotOurs(_)) => Ok(false),
        dropped => Ok(dropped.map(|()| true)?),
    }
}

/// Does `work` on a thread without an event loop: the driver has its own.
pub(crate) async fn on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let (done, result) = oneshot::channel();
    thread::Builder::new()
        .name("logtrace-driver".into())
        .spawn(move || {
            // The receiver is gone if the run was aborted.
            let _ = done.send(work());
        })
        .context("cannot start the driver's thread")?;
    result.await.context("the driver's thread failed")
}

/// Returns the configuration of the driver.
pub(crate) fn drive_config(
    config: &RunConfig,
    target: &Target,
    pace: Pace,
    connections: NonZeroUsize,
) -> DriveConfig {
    DriveConfig {
        target: target.clone(),
        session: config.session.clone(),
        globals: config.settings.clone(),
        requests: config.requests.clone(),
        dataset: config.dataset,
        connections,
        pace,
        warmup: config.warmup,
        duration: config.duration,
        grace: DEFAULT_GRACE,
        spin: config.spin,
        reconnect_for: config.reconnect_for,
        deadline: config.deadline,
    }
}

/// Observer of the driver, which informs the rest of the program.
pub(crate) struct Follower {
    /// Signal for the analysis of the trace.
    pub(crate) window_signal: Arc<WindowSignal>,
    /// Signal to read the server's status at the start of the window.
    pub(crate) announced: Option<oneshot::Sender<()>>,
    /// Figures of the load while it goes on.
    pub(crate) live: Live,
    /// Lengths of the warm-up and of the window.
    pub(crate) lengths: (Duration, Duration),
}

impl Watch for Follower {
    fn window(&mut self, window: TimeRange) {
        self.window_signal
            .announce(TimeRange::new(window.start_ns, window.end_ns));
        if let Some(announced) = self.announced.take() {
            // The receiver is gone if the run was aborted.
            let _ = announced.send(());
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        let of = match progress.stage {
            Stage::Warmup => self.lengths.0,
            Stage::Window => self.lengths.1,
        };
        self.live.driven(progress, of);
    }
}
