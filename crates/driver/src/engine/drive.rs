//! One drive from the first connection to the last answer.

use std::io::Write;
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use tokio_util::sync::{CancellationToken, DropGuard};

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::shard::{Shard, Task, Told};
use crate::engine::shard_result::Part;
use crate::engine::shard_state::{Common, Observer, Reconnection};
use crate::engine::share::Share;
use crate::error::DriveError;
use crate::results::merge_seconds::Seconds;
use crate::results::progress::{Stage, Watch};
use crate::results::result::{Ended, Measured};
use crate::schedule::rate::MOST_PER_S;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::runtime::on_this_thread;
use crate::workloads::tpcc;

/// Where a drive leaves what it has as it goes, and who may stop it.
pub struct Outputs<'a> {
    /// Gets the `HdrHistogram` interval log, one interval a second, flushed after each.
    pub log: &'a mut dyn Write,
    /// Follows the drive.
    pub watch: &'a mut dyn Watch,
    /// Gets each finished request of the window.
    pub observer: Option<Observer>,
    /// Ends the window early; what was measured until then is returned.
    pub cancel: CancellationToken,
}

/// Time between announcing a stage and its start.
const LEAD_NS: u64 = 10_000_000;

/// Connects, prepares, warms up, and measures.
///
/// Blocks the calling thread. What is driven has threads of its own: one in an open loop, several in a closed one.
pub fn drive(config: &DriveConfig, outputs: Outputs<'_>) -> Result<Measured, DriveError> {
    check(config)?;
    let Outputs {
        log,
        watch,
        observer,
        cancel,
    } = outputs;
    let shards = Shards::start(config, observer, &cancel)?;
    let measured = shards.drive(config, log, watch);
    shards.join();
    measured
}

/// The server's own count of orders, where the workload has some; a server that hangs does not tell it.
fn order_ids(config: &DriveConfig) -> Result<Option<u64>, DriveError> {
    if config.requests.tpcc().is_none() {
        return Ok(None);
    }
    let told = on_this_thread(async {
        let told = tokio::time::timeout(config.grace, tpcc::load_orders::order_ids(&config.target));
        told.await.ok().flatten()
    });
    Ok(told?)
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
    told: mpsc::Receiver<(usize, Told)>,
    common: Common,
    /// Ends them with the drive, however that ends.
    end: DropGuard,
}

impl Shards {
    fn start(
        config: &DriveConfig,
        observer: Option<Observer>,
        cancel: &CancellationToken,
    ) -> Result<Self, DriveError> {
        let cancel = cancel.child_token();
        let common = Common {
            reconnection: Arc::new(Reconnection {
                target: config.target.clone(),
                session: config.session.clone(),
                patience: config.reconnect_for,
                observed: observer.is_some(),
            }),
            observer,
            outages: Arc::default(),
            cancel: cancel.clone(),
        };
        let (sender, told) = mpsc::channel();
        let end = cancel.drop_guard();
        let each = Share::each(config).map(|share| {
            Shard::start(Task {
                config: config.clone(),
                share,
                common: common.clone(),
                told: sender.clone(),
            })
        });
        Ok(Self {
            each: each.collect::<Result<_, _>>()?,
            told,
            common,
            end,
        })
    }

    fn drive(
        &self,
        config: &DriveConfig,
        log: &mut dyn Write,
        watch: &mut dyn Watch,
    ) -> Result<Measured, DriveError> {
        self.seated()?;
        self.warm_up(config, watch)?;
        let before = order_ids(config)?;
        let (part, cpu_ns) = self.measure(config, log, watch)?;
        let mut measured = part.into_measured(config, self.common.outages().all());
        measured.client_cpu_ns += cpu_ns;
        if let Some(before) = before
            && measured.ended != Ended::ServerGone
        {
            measured.orders_grown = order_ids(config)?.and_then(|after| after.checked_sub(before));
        }
        Ok(measured)
    }

    /// Waits until all are connected.
    fn seated(&self) -> Result<(), DriveError> {
        for _ in &self.each {
            self.hear()?;
        }
        Ok(())
    }

    fn warm_up(&self, config: &DriveConfig, watch: &mut dyn Watch) -> Result<(), DriveError> {
        self.order(span_of(config.warmup));
        let mut seconds = Seconds::unlogged(Stage::Warmup, self.each.len());
        let (mut warming, mut any_left) = (self.each.len(), false);
        while warming > 0 {
            match self.hear()? {
                (shard, Told::Interval(interval)) => seconds.take(shard, *interval),
                (shard, Told::WarmedUp(is_left)) => {
                    any_left |= is_left;
                    warming -= 1;
                    seconds.through(shard);
                }
                (_, Told::Seated | Told::Measured(_) | Told::Failed(_)) => {}
            }
            seconds.end(watch).map_err(DriveError::Log)?;
        }
        match any_left {
            true => Ok(()),
            false => Err(DriveError::GoneInWarmup),
        }
    }

    /// The whole window, and the CPU time of this thread in it.
    fn measure(
        &self,
        config: &DriveConfig,
        log: &mut dyn Write,
        watch: &mut dyn Watch,
    ) -> Result<(Part, u64), DriveError> {
        let planned = span_of(config.duration);
        let base = SystemTime::now() + Duration::from_nanos(LEAD_NS);
        watch.window(planned);
        self.common.outages().begin();
        let cpu_ns = thread_cpu_ns();
        self.order(planned);
        let mut seconds =
            Seconds::logged(Stage::Window, self.each.len(), base, log).map_err(DriveError::Log)?;
        let (mut busy, mut whole) = (self.each.len(), None::<Part>);
        while busy > 0 {
            match self.hear()? {
                (shard, Told::Interval(interval)) => seconds.take(shard, *interval),
                (shard, Told::Measured(part)) => {
                    busy -= 1;
                    seconds.through(shard);
                    match &mut whole {
                        Some(whole) => whole.add(*part),
                        None => whole = Some(*part),
                    }
                }
                (_, Told::Seated | Told::WarmedUp(_) | Told::Failed(_)) => {}
            }
            seconds.end(watch).map_err(DriveError::Log)?;
        }
        let whole = whole.ok_or(DriveError::Lost)?;
        Ok((whole, thread_cpu_ns().saturating_sub(cpu_ns)))
    }

    fn order(&self, stage: TimeRange) {
        for shard in &self.each {
            // One that failed has said so.
            let _ = shard.stages.send(stage);
        }
    }

    /// What a shard says, and which.
    fn hear(&self) -> Result<(usize, Told), DriveError> {
        match self.told.recv() {
            Ok((_, Told::Failed(error))) => Err(error),
            Ok(told) => Ok(told),
            Err(_) => Err(DriveError::Lost),
        }
    }

    /// Waits until all connections are gone; those of a drive that failed are given up.
    fn join(self) {
        let Self { each, told, end, .. } = self;
        drop(told);
        drop(end);
        each.into_iter().for_each(Shard::join);
    }
}

fn span_of(length: Duration) -> TimeRange {
    let start_ns = now_ns() + LEAD_NS;
    TimeRange {
        start_ns,
        end_ns: start_ns.saturating_add(duration_ns(length)),
    }
}
