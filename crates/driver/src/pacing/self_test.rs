//! Self-test of pacing: lateness of each method of waiting on this machine, without a server.

use std::io;
use std::time::{Duration, Instant};

use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

use crate::pacing::lateness::Lateness;
use crate::pacing::pacer::{FinalWait, Pacer, set_timer, turn_off_timer_slack};
use crate::schedule::arrivals::Arrivals;
use crate::util::clock::{duration_ns, now_ns};
use crate::util::runtime::{RuntimeError, on_this_thread};

/// Method of waiting for a due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitMethod {
    /// Pacer of the driver: a timerfd in the event loop of its thread.
    Pacer,
    /// Pacer with an early timer; the thread spins for the final_wait.
    Spinning,
    /// Blocking read of a timerfd: the best possible for a thread that does nothing else.
    BareTimer,
    /// Timer of tokio, which the driver avoids.
    TokioTimer,
}

impl WaitMethod {
    /// All methods, the best first.
    pub const ALL: [Self; 4] = [Self::BareTimer, Self::Pacer, Self::Spinning, Self::TokioTimer];

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pacer => "pacer",
            Self::Spinning => "spinning",
            Self::BareTimer => "bare timer",
            Self::TokioTimer => "tokio timer",
        }
    }
}

/// Due times of one round of a self-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaceRound {
    /// Number of due times per second.
    pub rate_per_s: f64,
    /// Distribution of due times.
    pub arrivals: Arrivals,
    /// Seed of random due times.
    pub seed: u64,
    /// Length of the round.
    pub length: Duration,
}

impl PaceRound {
    fn offsets_ns(&self) -> impl Iterator<Item = u64> + use<> {
        let length_ns = duration_ns(self.length);
        let offsets = self.arrivals.offsets_ns(self.rate_per_s, self.seed);
        offsets.take_while(move |&offset| offset < length_ns)
    }
}

/// Waits for each due time of a round and returns the lateness. Runs on this thread and may leave its timer slack turned
/// off.
pub fn pace_lag(waiting: WaitMethod, turn: &PaceRound) -> Result<Lateness, RuntimeError> {
    let offsets = turn.offsets_ns();
    let length_ns = duration_ns(turn.length);
    let lags = match waiting {
        WaitMethod::Pacer => on_this_thread(with_pacer(offsets, length_ns, FinalWait::Sleep))?,
        WaitMethod::Spinning => on_this_thread(with_pacer(offsets, length_ns, FinalWait::Spin))?,
        WaitMethod::BareTimer => with_bare_timer(offsets, length_ns),
        WaitMethod::TokioTimer => Ok(on_this_thread(with_tokio_timer(offsets, length_ns))?),
    };
    Ok(lags?)
}

/// Time from the start of a round to its window.
const LEAD_NS: u64 = 2_000_000;

async fn with_pacer(
    offsets: impl Iterator<Item = u64>,
    length_ns: u64,
    final_wait: FinalWait,
) -> io::Result<Lateness> {
    let mut pacer = Pacer::new(final_wait)?;
    let start = now_ns() + LEAD_NS;
    let mut lags = Lateness::new(start + length_ns);
    for offset in offsets {
        pacer.until(start + offset).await?;
        lags.record(start + offset, now_ns());
    }
    Ok(lags)
}

fn with_bare_timer(offsets: impl Iterator<Item = u64>, length_ns: u64) -> io::Result<Lateness> {
    turn_off_timer_slack()?;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let start = now_ns() + LEAD_NS;
    let mut lags = Lateness::new(start + length_ns);
    for offset in offsets {
        if now_ns() < start + offset {
            set_timer(&timer, start + offset)?;
            rustix::io::read(&timer, &mut [0; 8])?;
        }
        lags.record(start + offset, now_ns());
    }
    Ok(lags)
}

async fn with_tokio_timer(offsets: impl Iterator<Item = u64>, length_ns: u64) -> Lateness {
    let start = Instant::now() + Duration::from_nanos(LEAD_NS);
    let mut lags = Lateness::new(length_ns);
    for offset in offsets {
        tokio::time::sleep_until((start + Duration::from_nanos(offset)).into()).await;
        lags.record(offset, duration_ns(start.elapsed()));
    }
    lags
}
