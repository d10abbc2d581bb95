//! logtrace's tracer, with all that explains the commits.

use anyhow::Context;
use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_common::TimeRange;
use logtrace_driver::now_ns;
use logtrace_events::decode;
use logtrace_server::ServerFacts;
use logtrace_tracer::{Account, Extent, Sink, Stopped, Tracer, TracerConfig};

use crate::pair::Attached;

/// Tracer that is attached to the server.
pub struct AttachedTracer {
    tracer: Tracer<CommitExplainer>,
    before: Account,
    start_ns: u64,
}

/// Commits that were traced, and the tracer's account of them.
#[derive(Clone, Debug)]
pub struct TracedCommits {
    /// Number of commits.
    pub commits: u64,
    /// The tracer's own account of its cost.
    pub account: Account,
}

impl AttachedTracer {
    /// Attaches it to a server.
    pub fn attach(server: &ServerFacts, extent: Extent) -> anyhow::Result<Self> {
        let pid = server.pid.context("the server is on another machine")?;
        let explainer = CommitExplainer {
            analysis: Analysis::new(AnalysisConfig {
                server_tgid: pid,
                logs: server.log_names(),
                window: TimeRange::new(0, u64::MAX),
            }),
            commits_ns: Vec::new(),
        };
        let config = TracerConfig {
            extent,
            ..TracerConfig::new(server.process.clone().context("the server has no process")?)
        };
        Ok(Self {
            tracer: Tracer::start(config, explainer)?,
            before: Account::default(),
            start_ns: 0,
        })
    }
}

impl Attached for AttachedTracer {
    type Seen = TracedCommits;

    fn begin(&mut self) -> anyhow::Result<()> {
        self.before = self.tracer.account()?;
        self.start_ns = now_ns();
        Ok(())
    }

    fn end(self) -> anyhow::Result<TracedCommits> {
        // Who measures next measures without these probes.
        let Stopped {
            sink: explainer,
            account,
            detaching,
        } = self.tracer.stop()?;
        drop(detaching);
        let ends = explainer.commits_ns.iter();
        let traced = TracedCommits {
            commits: ends.filter(|&&at_ns| at_ns >= self.start_ns).count() as u64,
            account: account.since(&self.before),
        };
        traced.check()?;
        Ok(traced)
    }
}

impl TracedCommits {
    /// Checks that no record was lost: otherwise neither ratio nor cost means anything.
    fn check(&self) -> anyhow::Result<()> {
        let lost = self.account.losses.lost;
        anyhow::ensure!(lost == 0, "{lost} of {} records were lost", self.account.events);
        Ok(())
    }
}

/// Explains each commit, as `logtrace run` does.
struct CommitExplainer {
    analysis: Analysis,
    /// End of each commit.
    commits_ns: Vec<u64>,
}

impl Sink for CommitExplainer {
    fn record(&mut self, bytes: &[u8]) {
        if let Ok(record) = decode(bytes) {
            if let Some(commit) = record.commit() {
                self.commits_ns.push(commit.end_ns);
            }
            self.analysis.push(record);
        }
    }
}
