//! Thread of the sink, and the queue of records before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::time::ClockId;

use crate::clock::clock_ns;
use crate::config::Patience;
use crate::error::TracerError;
use crate::overhead::Delivered;
use crate::reader::merge::Records;
use crate::reader::sched_policy::SchedPolicy;
use crate::sink::Sink;
use crate::stacks::StackNames;

/// Queue to the sink. Its thread gives way to the server as long as the queue has room.
///
/// Processing a record costs more than reading it, and can wait until a CPU is idle or the load has ended.
pub(crate) struct Delivery<S> {
    queue: Sender<Parcel>,
    /// Empty batches of records, for reuse: no more than [`SPARE_BATCHES`].
    spare: Receiver<Records>,
    progress: Arc<SinkProgress>,
    policy: SchedPolicy,
    patience: Patience,
    thread: JoinHandle<S>,
}

/// Message to the sink.
enum Parcel {
    /// Records, and the time at which they were queued (`CLOCK_MONOTONIC`).
    Records(Records, u64),
    /// Start and end of a time in which records were lost.
    Lost(u64, u64),
}

/// Progress of the sink.
#[derive(Debug, Default)]
struct SinkProgress {
    /// Number of bytes in the queue.
    waiting: AtomicU64,
    /// Time at which the last records that were taken had been queued.
    taken_from_ns: AtomicU64,
    taken: AtomicU64,
    cpu_ns: AtomicU64,
}

/// Size of the queue from which on the rings are not read. Records that do not fit into the rings are lost, and
/// counted.
const LIMIT_BYTES: u64 = 256 << 20;

/// Number of empty batches that wait for reuse. The reader fills one while the sink empties one; the batches of a queue
/// that was long are freed.
const SPARE_BATCHES: usize = 2;

impl<S: Sink> Delivery<S> {
    /// Starts the thread. It has normal priority while more than `patience` allows are in the queue.
    pub(crate) fn start(sink: S, stacks: StackNames, patience: Patience) -> Result<Self, TracerError> {
        let (queue, records) = channel();
        let (emptied, spare) = sync_channel(SPARE_BATCHES);
        let (ready, started) = channel();
        let progress = Arc::new(SinkProgress::default());
        let thread = thread::Builder::new()
            .name("logtrace-sink".into())
            .spawn({
                let progress = Arc::clone(&progress);
                move || {
                    let _ = ready.send(SchedPolicy::of_this_thread());
                    take_all(sink, stacks, &records, &emptied, &progress)
                }
            })
            .map_err(TracerError::thread)?;
        let policy = started
            .recv()
            .map_err(|_| TracerError::thread("it never started"))?;
        Ok(Self {
            queue,
            spare,
            progress,
            policy,
            patience,
            thread,
        })
    }

    /// Returns an empty batch for the next records.
    pub(crate) fn spare(&self) -> Records {
        self.spare.try_recv().unwrap_or_default()
    }

    /// Adds records to the queue.
    pub(crate) fn push(&self, records: Records) {
        let now_ns = clock_ns(ClockId::Monotonic);
        let bytes = records.bytes();
        let before = self.progress.waiting.fetch_add(bytes, Ordering::Relaxed);
        let waited = match before {
            0 => Duration::ZERO,
            _ => self.progress.time_behind(now_ns),
        };
        // A sink that panicked is found when it is joined.
        let _ = self.queue.send(Parcel::Records(records, now_ns));
        if self.patience.is_over(before + bytes, waited) {
            self.policy.run_beside_others();
        } else {
            self.policy.run_when_idle();
        }
    }

    /// Notes that records were lost, before the records that follow.
    pub(crate) fn push_lost(&self, from_ns: u64, until_ns: u64) {
        // As above.
        let _ = self.queue.send(Parcel::Lost(from_ns, until_ns));
    }

    /// Returns whether the queue is so long that no more should be added.
    pub(crate) fn is_full(&self) -> bool {
        self.progress.waiting.load(Ordering::Relaxed) > LIMIT_BYTES
    }

    /// Returns the number of records that the sink has taken, and its CPU time.
    pub(crate) fn delivered(&self) -> Delivered {
        self.progress.delivered()
    }

    /// Waits until the sink has taken everything, and gives it back.
    pub(crate) fn finish(self) -> Result<(S, Delivered), TracerError> {
        self.policy.run_beside_others();
        drop(self.queue);
        let sink = self
            .thread
            .join()
            .map_err(|_| TracerError::thread("it panicked"))?;
        Ok((sink, self.progress.delivered()))
    }
}

impl SinkProgress {
    /// Returns the time between the queueing of the last records that were taken and `now_ns`.
    fn time_behind(&self, now_ns: u64) -> Duration {
        Duration::from_nanos(now_ns.saturating_sub(self.taken_from_ns.load(Ordering::Relaxed)))
    }

    fn delivered(&self) -> Delivered {
        Delivered {
            records: self.taken.load(Ordering::Relaxed),
            cpu_ns: self.cpu_ns.load(Ordering::Relaxed),
        }
    }
}

fn take_all<S: Sink>(
    mut sink: S,
    mut stacks: StackNames,
    queue: &Receiver<Parcel>,
    emptied: &SyncSender<Records>,
    progress: &SinkProgress,
) -> S {
    for parcel in queue {
        let (mut records, queued_ns) = match parcel {
            Parcel::Records(records, queued_ns) => (records, queued_ns),
            Parcel::Lost(from_ns, until_ns) => {
                sink.lost(from_ns, until_ns);
                continue;
            }
        };
        for record in records.iter() {
            for stack in stacks.first_uses(record) {
                sink.record(&stack);
            }
            sink.record(record);
        }
        progress.waiting.fetch_sub(records.bytes(), Ordering::Relaxed);
        progress.taken_from_ns.store(queued_ns, Ordering::Relaxed);
        progress.taken.fetch_add(records.len(), Ordering::Relaxed);
        progress
            .cpu_ns
            .store(clock_ns(ClockId::ThreadCPUTime), Ordering::Relaxed);
        records.clear();
        // With enough spare batches, this one is freed. At the end nobody fills it again.
        let _ = emptied.try_send(records);
    }
    sink
}
