//! How late each way of waiting wakes, without a server: the self-test behind the choice of the pacer.

use std::io;
use std::time::{Duration, Instant};

use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

use crate::pacing::lateness::Lags;
use crate::pacing::pacer::{Pacer, Rest, no_timer_slack, set_timer};
use crate::schedule::arrivals::Arrivals;
use crate::util::clock::{duration_ns, now_ns};
use crate::util::runtime::{RuntimeError, on_this_thread};

/// A way to wait for a due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// What the driver does: a timerfd in the event loop of its thread.
    Pacer,
    /// The same, but the timer is set early, and the rest is waited for on the CPU.
    Spinning,
    /// The best a thread can do that does nothing else: a blocking read of a timerfd.
    BareTimer,
    /// tokio's own timer, which the driver avoids.
    TokioTimer,
}

impl Waiting {
    /// The best first.
    pub const ALL: [Self; 4] = [Self::BareTimer, Self::Pacer, Self::Spinning, Self::TokioTimer];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pacer => "pacer",
            Self::Spinning => "spinning",
            Self::BareTimer => "bare timer",
            Self::TokioTimer => "tokio timer",
        }
    }
}

/// The due times of one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaceTurn {
    /// Due times a second.
    pub rate_per_s: f64,
    /// How they are spread.
    pub arrivals: Arrivals,
    /// What they are drawn from, where they are drawn.
    pub seed: u64,
    /// The time in which they lie.
    pub length: Duration,
}

impl PaceTurn {
    fn offsets_ns(&self) -> impl Iterator<Item = u64> + use<> {
        let length_ns = duration_ns(self.length);
        let offsets = self.arrivals.offsets_ns(self.rate_per_s, self.seed);
        offsets.take_while(move |&offset| offset < length_ns)
    }
}

/// Waits for each due time of a turn, on this thread, which keeps the timer slack that some ways set.
pub fn pace_lag(waiting: Waiting, turn: &PaceTurn) -> Result<Lags, RuntimeError> {
    let offsets = turn.offsets_ns();
    let length_ns = duration_ns(turn.length);
    let lags = match waiting {
        Waiting::Pacer => on_this_thread(with_pacer(offsets, length_ns, Rest::Asleep))?,
        Waiting::Spinning => on_this_thread(with_pacer(offsets, length_ns, Rest::OnCpu))?,
        Waiting::BareTimer => with_bare_timer(offsets, length_ns),
        Waiting::TokioTimer => Ok(on_this_thread(with_tokio_timer(offsets, length_ns))?),
    };
    Ok(lags?)
}

/// Time from the start of a measurement to its window.
const LEAD_NS: u64 = 2_000_000;

async fn with_pacer(offsets: impl Iterator<Item = u64>, length_ns: u64, rest: Rest) -> io::Result<Lags> {
    let mut pacer = Pacer::new(rest)?;
    let start = now_ns() + LEAD_NS;
    let mut lags = Lags::of_window_until(start + length_ns);
    for offset in offsets {
        pacer.until(start + offset).await?;
        lags.came(start + offset, now_ns());
    }
    Ok(lags)
}

fn with_bare_timer(offsets: impl Iterator<Item = u64>, length_ns: u64) -> io::Result<Lags> {
    no_timer_slack()?;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let start = now_ns() + LEAD_NS;
    let mut lags = Lags::of_window_until(start + length_ns);
    for offset in offsets {
        if now_ns() < start + offset {
            set_timer(&timer, start + offset)?;
            rustix::io::read(&timer, &mut [0; 8])?;
        }
        lags.came(start + offset, now_ns());
    }
    Ok(lags)
}

async fn with_tokio_timer(offsets: impl Iterator<Item = u64>, length_ns: u64) -> Lags {
    let start = Instant::now() + Duration::from_nanos(LEAD_NS);
    let mut lags = Lags::of_window_until(length_ns);
    for offset in offsets {
        tokio::time::sleep_until((start + Duration::from_nanos(offset)).into()).await;
        lags.came(offset, duration_ns(start.elapsed()));
    }
    lags
}
