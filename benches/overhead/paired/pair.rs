//! One run with the tracer and one without, one right after the other.

use std::time::Duration;

use anyhow::Context;
use logtrace_report::document::{Document, Tracer};

use super::server::SharedServer;
use crate::common;

/// How long each run of a pair loads the server: long enough for thousands of commits, short enough that both runs
/// of a pair see the same weather.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Load that is not measured.
    pub(crate) warmup: Duration,
    /// Load that is.
    pub(crate) duration: Duration,
}

/// Two runs of the same load, as fast as the server takes it.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    traced: Document,
    untraced: Document,
}

impl Pair {
    /// Measures pair `number`; the number decides which run comes first, so that a drift favours neither.
    pub(crate) fn measure(server: &SharedServer, window: Window, number: usize) -> anyhow::Result<Self> {
        let run = |extra| run_max(server, window, extra);
        let (traced, untraced) = if number.is_multiple_of(2) {
            let traced = run("")?;
            (traced, run("--no-trace")?)
        } else {
            let untraced = run("--no-trace")?;
            (run("")?, untraced)
        };
        let pair = Self { traced, untraced };
        pair.check()?;
        Ok(pair)
    }

    /// Throughput traced / untraced.
    pub(crate) fn ratio(&self) -> f64 {
        self.traced_per_s() / self.untraced_per_s()
    }

    /// Requests a second with the tracer.
    pub(crate) fn traced_per_s(&self) -> f64 {
        self.traced.driver.achieved_per_s
    }

    /// Requests a second without it.
    pub(crate) fn untraced_per_s(&self) -> f64 {
        self.untraced.driver.achieved_per_s
    }

    /// Commits that were traced, and the tracer's account of it.
    pub(crate) fn account(&self) -> Option<(u64, &Tracer)> {
        Some((self.traced.commits.as_ref()?.count, self.traced.tracer.as_ref()?))
    }

    /// A ratio means nothing unless one run saw every commit, the other none, and both did work.
    fn check(&self) -> anyhow::Result<()> {
        let (commits, tracer) = self.account().context("the traced run has no tracer's account")?;
        anyhow::ensure!(self.untraced.tracer.is_none(), "--no-trace has traced");
        anyhow::ensure!(commits > 0 && self.untraced.driver.done > 0, "nothing was done");
        anyhow::ensure!(
            tracer.lost == 0,
            "{} of {} records were lost",
            tracer.lost,
            tracer.events
        );
        Ok(())
    }
}

fn run_max(server: &SharedServer, window: Window, extra: &str) -> anyhow::Result<Document> {
    let address = server.address()?;
    let [warmup, duration] = [window.warmup, window.duration].map(|time| time.as_millis());
    let ran = common::run(&format!(
        "--max --connections 8 --tables 4 --rows 5000 --warmup {warmup}ms --duration {duration}ms \
         --server {address} {extra}"
    ));
    anyhow::ensure!(
        ran.code() == Some(0),
        "logtrace run ended with {:?}: {}",
        ran.code(),
        ran.stderr()
    );
    Ok(ran.document())
}
