//! One drive, from the first connection to the last answer.

use std::io::Write;
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use tokio_util::sync::{CancellationToken, DropGuard};

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::shard::{Shard, ShardMessage, ShardTask};
use crate::engine::shard_result::ShardResult;
use crate::engine::shard_state::{DriveState, Observer, ReconnectConfig};
use crate::engine::share::Share;
use crate::error::DriveError;
use crate::results::merge_seconds::SecondMerger;
use crate::results::progress::{Stage, Watch};
use crate::results::result::{DriveResult, EndReason};
use crate::schedule::rate::MOST_PER_S;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::runtime::on_this_thread;
use crate::workloads::tpcc;

/// Receivers of intermediate results, and the token that ends a drive early.
pub struct Outputs<'a> {
    /// Writer of the `HdrHistogram` interval log: one interval a second, flushed after each.
    pub log: &'a mut dyn Write,
    /// Listener that follows the drive.
    pub watch: &'a mut dyn Watch,
    /// Receiver of each finished request of the window.
    pub observer: Option<Observer>,
    /// Token that ends the window early; the results up to then are returned.
    pub cancel: CancellationToken,
}

/// Time between announcing a phase and its start.
const LEAD_NS: u64 = 10_000_000;

/// Connects, prepares the statements, warms up, and measures.
///
/// Blocks the calling thread. Connections run on other threads: one in an open loop, several in a closed loop.
pub fn drive(config: &DriveConfig, outputs: Outputs<'_>) -> Result<DriveResult, DriveError> {
    check(config)?;
    let Outputs {
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

/// Returns the server's own count of orders; `None` if the workload has no orders or the server does not answer.
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

fn check(config: &DriveConfig) -> Result<(), DriveError> {
    config.dataset.check()?;
    match config.pace.offered_per_s(config.duration) {
        Some(rate) if !(rate > 0.0 && rate <= MOST_PER_S) => Err(DriveError::Rate(rate)),
        _ => Ok(()),
    }
}

/// All shards of one drive.
struct Shards {
    each: Vec<Shard>,
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
            reconnection: Arc::new(ReconnectConfig {
                target: config.target.clone(),
                session: config.session.clone(),
                retry_for: config.reconnect_for,
                finds_threads: observer.is_some(),
            }),
            observer,
            outages: Arc::default(),
            cancel: cancel.clone(),
        };
        let (sender, messages) = mpsc::channel();
        let end = cancel.drop_guard();
        let each = Share::each(config).map(|share| {
            Shard::start(ShardTask {
                config: config.clone(),
                share,
                shared: shared.clone(),
                messages: sender.clone(),
            })
        });
        Ok(Self {
            each: each.collect::<Result<_, _>>()?,
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
        for _ in &self.each {
            self.receive()?;
        }
        let warmup = range_from_now(config.warmup);
        if self.run_phase(Stage::Warmup, warmup, None, watch)?.ended == EndReason::ServerGone {
            return Err(DriveError::GoneInWarmup);
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
        for shard in &self.each {
            // A shard that failed has sent its error.
            let _ = shard.phases.send(range);
        }
        let base = SystemTime::now() + Duration::from_nanos(range.start_ns.saturating_sub(now_ns()));
        let (mut busy, mut sum) = (self.each.len(), None::<ShardResult>);
        let mut seconds = SecondMerger::new(stage, busy, base, log).map_err(DriveError::Log)?;
        while busy > 0 {
            match self.receive()? {
                (shard, ShardMessage::Interval(interval)) => seconds.add(shard, *interval),
                (shard, ShardMessage::PhaseEnded(result)) => {
                    busy -= 1;
                    seconds.finish_shard(shard);
                    match &mut sum {
                        Some(sum) => sum.add(*result),
                        None => sum = Some(*result),
                    }
                }
                (_, ShardMessage::Connected | ShardMessage::Failed(_)) => {}
            }
            seconds.flush(watch).map_err(DriveError::Log)?;
        }
        sum.ok_or(DriveError::Lost)
    }

    /// Receives the next message and the number of its shard.
    fn receive(&self) -> Result<(usize, ShardMessage), DriveError> {
        match self.messages.recv() {
            Ok((_, ShardMessage::Failed(error))) => Err(error),
            Ok(messages) => Ok(messages),
            Err(_) => Err(DriveError::Lost),
        }
    }

    /// Waits until all connections have ended; connections of a failed drive are given up.
    fn join(self) {
        let Self {
            each, messages, end, ..
        } = self;
        drop(messages);
        drop(end);
        each.into_iter().for_each(Shard::join);
    }
}

fn range_from_now(length: Duration) -> TimeRange {
    let start_ns = now_ns() + LEAD_NS;
    TimeRange {
        start_ns,
        end_ns: start_ns.saturating_add(duration_ns(length)),
    }
}
