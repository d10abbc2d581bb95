//! How late each way of waiting wakes, without a server: the self-test behind the choice of the pacer.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

use crate::Arrivals;
use crate::clock::{duration_ns, now_ns};
use crate::pacer::{Pacer, Rest, no_timer_slack, set_timer};
use crate::recorder::new_histogram;
use crate::runtime::{RuntimeError, on_this_thread};

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
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pacer => "pacer",
            Self::Spinning => "spinning",
            Self::BareTimer => "bare timer",
            Self::TokioTimer => "tokio timer",
        })
    }
}

/// Waits for `rate_per_s` uniform due times a second for `duration`, and returns how late each wait ended, in
/// nanoseconds.
pub fn pace_lag(
    waiting: Waiting,
    rate_per_s: f64,
    duration: Duration,
) -> Result<Histogram<u64>, RuntimeError> {
    let length_ns = duration_ns(duration);
    let offsets = Arrivals::Uniform
        .offsets_ns(rate_per_s, 0)
        .take_while(move |&offset| offset < length_ns);
    let lags = match waiting {
        Waiting::Pacer => on_this_thread(with_pacer(offsets, Rest::Asleep))?,
        Waiting::Spinning => on_this_thread(with_pacer(offsets, Rest::OnCpu))?,
        Waiting::BareTimer => with_bare_timer(offsets),
        Waiting::TokioTimer => on_this_thread(with_tokio_timer(offsets))?,
    };
    Ok(lags?)
}

/// Time from the start of a measurement to its first due time.
const LEAD_NS: u64 = 2_000_000;

async fn with_pacer(offsets: impl Iterator<Item = u64>, rest: Rest) -> io::Result<Histogram<u64>> {
    let mut lags = new_histogram();
    let mut pacer = Pacer::new(rest)?;
    let start = now_ns() + LEAD_NS;
    for offset in offsets {
        pacer.until(start + offset).await?;
        lags += now_ns().saturating_sub(start + offset);
    }
    Ok(lags)
}

fn with_bare_timer(offsets: impl Iterator<Item = u64>) -> io::Result<Histogram<u64>> {
    no_timer_slack()?;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let mut lags = new_histogram();
    let start = now_ns() + LEAD_NS;
    for offset in offsets {
        if now_ns() < start + offset {
            set_timer(&timer, start + offset)?;
            rustix::io::read(&timer, &mut [0; 8])?;
        }
        lags += now_ns().saturating_sub(start + offset);
    }
    Ok(lags)
}

async fn with_tokio_timer(offsets: impl Iterator<Item = u64>) -> io::Result<Histogram<u64>> {
    let mut lags = new_histogram();
    let start = Instant::now() + Duration::from_nanos(LEAD_NS);
    for offset in offsets {
        let due = start + Duration::from_nanos(offset);
        tokio::time::sleep_until(due.into()).await;
        lags += duration_ns(due.elapsed());
    }
    Ok(lags)
}
