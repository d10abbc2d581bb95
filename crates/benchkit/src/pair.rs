//! Throughput with a tracer and without it, one right after the other under one load.

use std::thread;
use std::time::Duration;

use crate::load::SteadyLoad;

/// Requests a second with the tracer and without it.
#[derive(Clone, Debug)]
pub struct Pair<S> {
    /// Requests a second with the tracer.
    pub traced_per_s: f64,
    /// Requests a second without it.
    pub untraced_per_s: f64,
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

impl<S> Pair<S> {
    /// Measures with what `attach` brings for `window`, and without it for half of that before and after, so that a
    /// drift of the machine favours neither.
    pub fn measure<A: Attached<Seen = S>>(
        load: &SteadyLoad,
        window: Duration,
        attach: impl FnOnce() -> anyhow::Result<A>,
    ) -> anyhow::Result<Self> {
        let settled = |window| {
            thread::sleep(SETTLING);
            load.per_s(window)
        };
        let before = settled(window / 2);
        let mut attached = attach()?;
        thread::sleep(SETTLING);
        attached.begin()?;
        let traced_per_s = load.per_s(window);
        let seen = attached.end()?;
        let untraced_per_s = f64::midpoint(before, settled(window / 2));
        anyhow::ensure!(untraced_per_s > 0.0, "nothing was done");
        Ok(Self {
            traced_per_s,
            untraced_per_s,
            seen,
        })
    }

    /// Returns the throughput traced / untraced.
    pub fn ratio(&self) -> f64 {
        self.traced_per_s / self.untraced_per_s
    }
}
