//! Throughput and CPU time with a tracer and without it, one right after the other under one load.

use std::thread;
use std::time::Duration;

use crate::load::SteadyLoad;
use crate::window::{CpuTime, RequestsAndCpu};

/// Requests with the tracer and without it.
#[derive(Clone, Debug)]
pub struct TracerPair<S> {
    /// Requests with the tracer.
    pub traced: RequestsAndCpu,
    /// Requests without it.
    pub untraced: RequestsAndCpu,
    /// Account of the tracer.
    pub seen: S,
}

/// Something at work on the server, until it ends.
pub trait Attached {
    /// What it says afterwards.
    type Seen;

    /// Starts the window.
    fn begin(&mut self) -> anyhow::Result<()>;

    /// Leaves the server as it was.
    fn end(self) -> anyhow::Result<Self::Seen>;
}

/// Attaching and detaching disturb the server; nothing is measured so long after either.
const SETTLING: Duration = Duration::from_millis(200);

impl<S> TracerPair<S> {
    /// Measures with what `attach` brings for `window`, and without it for half of that before and after, so that a
    /// drift of the machine favours neither.
    pub fn measure<A: Attached<Seen = S>>(
        load: &SteadyLoad,
        window: Duration,
        attach: impl FnOnce() -> anyhow::Result<A>,
    ) -> anyhow::Result<Self> {
        let settled = |window| {
            thread::sleep(SETTLING);
            load.watched(window)
        };
        let before = settled(window / 2)?;
        let mut attached = attach()?;
        thread::sleep(SETTLING);
        attached.begin()?;
        let traced = load.watched(window)?;
        let seen = attached.end()?;
        let untraced = before + settled(window / 2)?;
        anyhow::ensure!(untraced.requests > 0, "nothing was done");
        Ok(Self {
            traced,
            untraced,
            seen,
        })
    }

    /// Returns the throughput traced / untraced.
    pub fn ratio(&self) -> f64 {
        self.traced.per_s() / self.untraced.per_s()
    }

    /// Returns how much longer a request's CPU time is with the tracer, in nanoseconds.
    pub fn growth_ns(&self, time: fn(&CpuTime) -> u64) -> f64 {
        self.traced.a_request(time) - self.untraced.a_request(time)
    }
}
