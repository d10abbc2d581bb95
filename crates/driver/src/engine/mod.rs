//! Execution of a workload: shards, connections, and dispatch of requests that are due.

pub(crate) mod connection;
pub(crate) mod dispatcher;
mod event_loop;
mod phases;
pub(crate) mod reconnect;
pub(crate) mod request_source;
mod shard;
mod shard_result;
pub(crate) mod shard_state;
pub(crate) mod share;
pub(crate) mod ticker;

use std::io::Write;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow, bail};
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::shard::{ShardMessage, ShardTask, panicked};
use crate::engine::shard_result::ShardResult;
use crate::engine::shard_state::{DriveState, Observer};
use crate::engine::share::Share;
use crate::error::DriveError;
use crate::results::merge_seconds::SecondMerger;
use crate::results::progress::{Stage, Watch};
use crate::results::{DriveResult, EndReason};
use crate::schedule::rate::MOST_PER_S;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::runtime::on_this_thread;
use crate::workloads::tpcc;

/// Receivers of intermediate results, and the token that ends a drive early.
pub struct DriveOutputs<'a> {
    /// Writer of the `HdrHistogram` interval log: one interval a second, flushed after each.
    pub log: &'a mut dyn Write,
    /// Listener that follows the drive.
    pub watch: &'a mut dyn Watch,
    /// Receiver of each finished request of the window.
    pub observer: Option<Observer>,
    /// Token that ends the window early; the results up to then are returned.
    pub cancel: CancellationToken,
}

/// Failure to write the interval log.
const WRITE_LOG: &str = "cannot write the latency log";

/// Time between announcing a phase and its start.
const LEAD_NS: u64 = 10_000_000;

/// Connects, prepares the statements, warms up, and measures.
///
/// Blocks the calling thread. Connections run on other threads: one in an open loop, several in a closed loop.
pub fn drive(config: &DriveConfig, outputs: DriveOutputs<'_>) -> Result<DriveResult, DriveError> {
    check(config)?;
    let DriveOutputs {
        log,
        watch,
        observer,
        cancel,
    } = outputs;
    let shards = Shards::start(config, observer, &cancel)?;
    let result = shards.drive(config, log, watch);
    shards.join();
    result
}

/// Returns the server's own count of orders; `None` if the workload has no orders or the server does not answer. A run is
/// degraded if this did not grow by the new orders that the driver counted.
fn order_ids(config: &DriveConfig) -> Result<Option<u64>, DriveError> {
    if config.requests.tpcc().is_none() {
        return Ok(None);
    }
    let answer = on_this_thread(async {
        let answer = tokio::time::timeout(config.grace, tpcc::load_orders::order_ids(&config.target));
        answer.await.ok().flatten()
    });
    Ok(answer?)
}

fn check(config: &DriveConfig) -> anyhow::Result<()> {
    config.dataset.check()?;
    match config.pace.offered_per_s(config.duration) {
        Some(rate) if !(rate > 0.0 && rate <= MOST_PER_S) => bail!(
            "cannot offer a rate of {rate} requests per second: choose a rate above 0 and up to 1,000,000"
        ),
        _ => Ok(()),
    }
}

/// All shards of one drive.
struct Shards {
    threads: Vec<JoinHandle<()>>,
    /// Sender of the time range of each phase.
    phases: broadcast::Sender<TimeRange>,
    messages: mpsc::Receiver<(usize, ShardMessage)>,
    shared: DriveState,
    /// Guard that ends the shards when the drive ends, with or without an error.
    end: DropGuard,
}

impl Shards {
    fn start(
        config: &DriveConfig,
        observer: Option<Observer>,
        cancel: &CancellationToken,
    ) -> Result<Self, DriveError> {
        let cancel = cancel.child_token();
        let shared = DriveState {
            config: Arc::new(config.clone()),
            observer,
            outages: Arc::default(),
            cancel: cancel.clone(),
        };
        let (sender, messages) = mpsc::channel();
        let phases = broadcast::Sender::new(1);
        let end = cancel.drop_guard();
        let threads = Share::each(config).map(|share| {
            let task = ShardTask {
                share,
                shared: shared.clone(),
                messages: sender.clone(),
            };
            task.start(phases.subscribe())
        });
        Ok(Self {
            threads: threads.collect::<Result<_, _>>()?,
            phases,
            messages,
            shared,
            end,
        })
    }

    fn drive(
        &self,
        config: &DriveConfig,
        log: &mut dyn Write,
        watch: &mut dyn Watch,
    ) -> Result<DriveResult, DriveError> {
        // Wait until all shards are connected.
        for _ in &self.threads {
            self.receive()?;
        }
        let warmup = range_from_now(config.warmup);
        if self.run_phase(Stage::Warmup, warmup, None, watch)?.ended == EndReason::ServerGone {
            let gone = anyhow!("the server closed every connection during the warm-up: see its error log");
            return Err(gone.into());
        }
        let before = order_ids(config)?;
        let planned = range_from_now(config.duration);
        watch.window(planned);
        self.shared.outages().begin();
        let cpu_ns = thread_cpu_ns();
        let result = self.run_phase(Stage::Window, planned, Some(log), watch)?;
        let cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
        let mut result = result.into_drive_result(config, self.shared.outages().all());
        result.client_cpu_ns += cpu_ns;
        if let Some(before) = before
            && result.ended != EndReason::ServerGone
        {
            result.orders_grown = order_ids(config)?.and_then(|after| after.checked_sub(before));
        }
        Ok(result)
    }

    /// Runs a phase on all shards, and returns the sum of their results.
    fn run_phase(
        &self,
        stage: Stage,
        range: TimeRange,
        log: Option<&mut dyn Write>,
        watch: &mut dyn Watch,
    ) -> Result<ShardResult, DriveError> {
        // Shards that failed have sent their errors.
        let _ = self.phases.send(range);
        let base = SystemTime::now() + Duration::from_nanos(range.start_ns.saturating_sub(now_ns()));
        let (mut busy, mut sum) = (self.threads.len(), None::<ShardResult>);
        let mut seconds = SecondMerger::new(stage, busy, base, log).context(WRITE_LOG)?;
        while busy > 0 {
            match self.receive()? {
                (shard, ShardMessage::Interval(interval)) => seconds.add(shard, *interval),
                (shard, ShardMessage::PhaseEnded(result)) => {
                    busy -= 1;
                    seconds.finish_shard(shard);
                    match &mut sum {
                        Some(sum) => sum.add(&result),
                        None => sum = Some(*result),
                    }
                }
                (_, ShardMessage::Connected | ShardMessage::Failed(_)) => {}
            }
            seconds.flush(watch).context(WRITE_LOG)?;
        }
        sum.ok_or_else(panicked)
    }

    /// Receives the next message and the number of its shard.
    fn receive(&self) -> Result<(usize, ShardMessage), DriveError> {
        match self.messages.recv() {
            Ok((_, ShardMessage::Failed(error))) => Err(error),
            Ok(messages) => Ok(messages),
            Err(_) => Err(panicked()),
        }
    }

    /// Waits until all connections have ended; connections of a failed drive are given up.
    fn join(self) {
        // Without these the shards end.
        drop((self.phases, self.end));
        for thread in self.threads {
            // A panic has been printed and reported already.
            let _ = thread.join();
        }
    }
}

fn range_from_now(length: Duration) -> TimeRange {
    let start_ns = now_ns() + LEAD_NS;
    TimeRange {
        start_ns,
        end_ns: start_ns.saturating_add(duration_ns(length)),
    }
}
