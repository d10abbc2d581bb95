//! The lag of `sysbench --rate`, by tracing its generator's sleeps and its workers' sends.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context;
use logtrace_common::Connection;
use logtrace_driver::{Lateness, PaceRound, WorkloadInfo};

use super::matching::{Sleep, SysbenchEvent, SysbenchObservations, events};
use super::stamps::{Stamp, Stamps};
use super::tracing::traced_sysbench;
use super::turn::{WARMUP, nanoseconds, room};
use crate::sysbench_run;

/// Results of one turn.
pub(crate) struct SysbenchTurn {
    /// Lag of events.
    pub(crate) lags: Lateness,
    /// Number of events with unseen due times.
    pub(crate) unseen: u64,
}

/// sysbench counts whole seconds; it runs this much longer than it is looked at.
const SPARE: Duration = Duration::from_millis(100);

/// Measures one turn of `workload`, whose events have one statement. sysbench draws its own seed.
pub(crate) fn measure(
    server: &Connection,
    workload: &WorkloadInfo,
    connections: NonZeroUsize,
    turn: &PaceRound,
) -> anyhow::Result<SysbenchTurn> {
    let length = WARMUP + turn.length;
    let seconds = (length + SPARE).as_secs_f64().ceil();
    let rate = [format!("--rate={}", turn.rate_per_s)];
    let words = sysbench_run::words(server, workload, connections, seconds as u64, &rate)?;
    let (told, stamps) = traced_sysbench(&words, room(turn.rate_per_s, seconds))?;
    let seen = seen(&stamps)?;
    // None of its sends was lost.
    let done = sysbench_run::events(&told)?;
    let sends = seen.sends_ns.len();
    anyhow::ensure!(
        sends as f64 == done,
        "sysbench did {done} events, seen were {sends}"
    );
    let from_ns = seen.sleeps.first().context("the generator never slept")?.entry_ns;
    Ok(of_window(
        &events(&seen)?,
        from_ns + nanoseconds(WARMUP),
        from_ns + nanoseconds(length),
    ))
}

/// Tells the generator by its events, which no other thread queues; a worker may sleep while it connects.
fn seen(stamps: &Stamps) -> anyhow::Result<SysbenchObservations> {
    let of = |name: &str| stamps.get(name).map_or(&[][..], Vec::as_slice);
    let queued = of("@queued");
    let generator = queued.first().context("no event was queued")?.thread;
    let is_generators = |stamp: &&Stamp| stamp.thread == generator;
    anyhow::ensure!(
        queued.iter().all(|stamp| is_generators(&stamp)),
        "two threads queued"
    );
    let sleeps = of("@sleeps").iter().filter(is_generators).map(|stamp| Sleep {
        entry_ns: stamp.at_ns,
        length_ns: stamp.value,
    });
    Ok(SysbenchObservations {
        sleeps: sleeps.collect(),
        queued_ns: times(queued),
        sends_ns: times(of("@sends")),
    })
}

fn times(stamps: &[Stamp]) -> Vec<u64> {
    stamps.iter().map(|stamp| stamp.at_ns).collect()
}

fn of_window(events: &[SysbenchEvent], start_ns: u64, end_ns: u64) -> SysbenchTurn {
    let mut turn = SysbenchTurn {
        lags: Lateness::new(end_ns),
        unseen: 0,
    };
    for event in events
        .iter()
        .filter(|event| (start_ns..end_ns).contains(&event.due_ns))
    {
        turn.unseen += u64::from(!event.is_seen);
        match event.sent_ns {
            Some(sent_ns) => turn.lags.record(event.due_ns, sent_ns),
            None => turn.lags.record_missed(1),
        }
    }
    turn
}
