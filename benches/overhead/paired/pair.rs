//! Throughput with the tracer and without it, one right after the other under one load.

use std::thread;
use std::time::Duration;

use logtrace_driver::now_ns;
use logtrace_events::{Record, decode};
use logtrace_report::analysis::{Analysis, AnalysisConfig};
use logtrace_report::window::Window;
use logtrace_server::ServerFacts;
use logtrace_tracer::{Account, Detail, Sink, Tracer, TracerConfig};

use super::load::SteadyLoad;

/// Requests a second with the tracer and without it.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) traced_per_s: f64,
    pub(crate) untraced_per_s: f64,
    /// Commits that were traced, and the tracer's account of them.
    pub(crate) commits: u64,
    pub(crate) account: Account,
}

/// Attaching and detaching disturb the server; nothing is measured so long after either.
const SETTLING: Duration = Duration::from_millis(200);

impl Pair {
    /// Measures with the tracer for `window`, and without it for half of that before and after, so that a drift of the
    /// machine favours neither.
    pub(crate) fn measure(
        server: &ServerFacts,
        detail: Detail,
        load: &SteadyLoad,
        window: Duration,
    ) -> anyhow::Result<Self> {
        let untraced = || {
            thread::sleep(SETTLING);
            load.per_s(window / 2)
        };
        let before = untraced();
        let (traced_per_s, commits, account) = traced(server, detail, load, window)?;
        let pair = Self {
            traced_per_s,
            untraced_per_s: f64::midpoint(before, untraced()),
            commits,
            account,
        };
        pair.check()?;
        Ok(pair)
    }

    /// Throughput traced / untraced.
    pub(crate) fn ratio(&self) -> f64 {
        self.traced_per_s / self.untraced_per_s
    }

    /// A ratio means nothing unless work was done, and each commit of it was seen.
    fn check(&self) -> anyhow::Result<()> {
        let lost = self.account.losses.lost;
        anyhow::ensure!(self.untraced_per_s > 0.0 && self.commits > 0, "nothing was done");
        anyhow::ensure!(lost == 0, "{lost} of {} records were lost", self.account.events);
        Ok(())
    }
}

fn traced(
    server: &ServerFacts,
    detail: Detail,
    load: &SteadyLoad,
    window: Duration,
) -> anyhow::Result<(f64, u64, Account)> {
    let explainer = Explainer {
        analysis: Analysis::new(AnalysisConfig {
            server_tgid: server.pid,
            logs: server.log_names(),
            window: Window::new(0, u64::MAX),
        }),
        commits_ns: Vec::new(),
    };
    let config = TracerConfig {
        detail,
        ..TracerConfig::new(server.pid)
    };
    let tracer = Tracer::start(config, explainer)?;
    thread::sleep(SETTLING);
    let before = tracer.account()?;
    let start_ns = now_ns();
    let per_s = load.per_s(window);
    let (explainer, account) = tracer.stop()?;
    let commits = explainer
        .commits_ns
        .iter()
        .filter(|&&at_ns| at_ns >= start_ns)
        .count();
    Ok((per_s, commits as u64, account.since(&before)))
}

/// Explains each commit, as `logtrace run` does.
struct Explainer {
    analysis: Analysis,
    /// When each ended.
    commits_ns: Vec<u64>,
}

impl Sink for Explainer {
    fn record(&mut self, bytes: &[u8]) {
        if let Ok(record) = decode(bytes) {
            if let Record::Commit(commit) = &record {
                self.commits_ns.push(commit.end_ns);
            }
            self.analysis.push(record);
        }
    }
}
