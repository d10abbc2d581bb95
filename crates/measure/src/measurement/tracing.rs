//! Tracing of a server during a measurement.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_attribution::breakdown::ProcessRow;
use logtrace_common::process::ProcessHandle;
use logtrace_common::{Detail, Sampling};
use logtrace_driver::DEFAULT_GRACE;
use logtrace_events::Request;
use logtrace_server::{ServerFacts, control_groups_of, thread_names};
use logtrace_tracer::{Account, Detaching, Extent, Patience, RingBytes, Stopped, Tracer, TracerConfig};

use super::explainer::{Explained, Explainer};
use super::progress::Line;
use super::signals::Signals;
use super::window_signal::WindowSignal;
use crate::directory::run_dir::RunDir;

/// Longest wait after the window for the commits that began in it: as long as that for requests.
const COMMITS_GRACE: Duration = DEFAULT_GRACE;

/// Longest wait for them after a signal.
const CANCELLED_GRACE: Duration = Duration::from_secs(1);

/// Records that wait for an idle CPU in a trace without a load. It may go on for weeks, and leaves memory to the server. A server
/// that is asked in time still knows who does what commits wait for.
const TRACE_PATIENCE: Patience = Patience {
    bytes: 16 << 20,
    time: Duration::from_secs(1),
};

/// Name that MySQL gives the thread of a connection (sql/conn_handler/connection_handler_per_thread.cc).
const CONNECTION: &str = "connection";

/// Time between two looks at the commits under way.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Tracer of a server.
#[derive(Debug)]
pub struct Tracing {
    /// Process of the server.
    process: Arc<ProcessHandle>,
    tracer: Tracer<Explainer>,
    ring_bytes: RingBytes,
    sampling: Sampling,
    detail: Detail,
    is_recorded: bool,
}

/// Configuration of the tracer, with or without a load.
#[derive(Clone, Copy, Debug)]
pub struct TracingConfig {
    /// Level of detail.
    pub detail: Detail,
    /// Share of the time that is traced.
    pub sampling: Sampling,
    /// Whether to save the records.
    pub record: bool,
    /// Size of each CPU's ring, or `None` for the default.
    pub ring_bytes: Option<RingBytes>,
}

/// Trace of the window.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) explained: Explained,
    pub(crate) account: Account,
    /// Size of each CPU's ring.
    pub(crate) ring_bytes: RingBytes,
    pub(crate) sampling: Sampling,
    pub(crate) detail: Detail,
    /// Whether the records were saved.
    pub(crate) is_recorded: bool,
    /// Number of commits of the window that had not ended when the trace did.
    pub(crate) open_commits: usize,
    /// Probes that are being detached, or `None` if the caller waits for them.
    pub(crate) detaching: Option<Detaching>,
}

impl Traced {
    /// Returns the threads for which commits waited most, those of the transactions that stand out, and those that held locks
    /// before commits.
    pub(crate) fn held_threads(&self) -> BTreeSet<u32> {
        let breakdown = &self.explained.breakdown;
        let waited_for = breakdown.over_time.waited_for.iter();
        let threads = waited_for
            .flat_map(|found| &found.threads)
            .map(|thread| thread.tid);
        let transactions = breakdown.holders.transactions.iter().map(|row| row.thread);
        let stages = breakdown.stages.iter().flat_map(|stages| &stages.waits);
        let locks = stages.flat_map(|row| &row.held_by).map(|holder| holder.tid);
        threads.chain(transactions).chain(locks).collect()
    }
}

impl Tracing {
    /// Attaches the probes. `requests` are those of the load as they end. `window_signal` announces the window later.
    pub(crate) fn start(
        server: &ServerFacts,
        dir: &RunDir,
        config: &TracingConfig,
        requests: Option<Receiver<Request>>,
        window_signal: &Arc<WindowSignal>,
    ) -> anyhow::Result<Self> {
        let process = server.process.clone();
        let process = process.context("a server on another machine cannot be traced from here")?;
        let &TracingConfig { detail, sampling, .. } = config;
        let recording = config.record.then(|| dir.create_file("records.bin"));
        let recording = recording.transpose().context("cannot create the recording")?;
        let is_recorded = config.record;
        let is_full = detail == Detail::Full;
        let has_load = requests.is_some();
        let explainer = Explainer::new(
            server,
            process.pid(),
            is_full,
            Arc::clone(window_signal),
            requests,
            recording,
        )
        .context("cannot start the recording")?;
        let default = TracerConfig::new(Arc::clone(&process));
        let config = TracerConfig {
            patience: match has_load {
                true => default.patience,
                false => TRACE_PATIENCE,
            },
            extent: Extent { detail, sampling },
            ring_bytes: config.ring_bytes.unwrap_or_default(),
            pools_threads: server.pools_threads(),
            ..default
        };
        let ring_bytes = config.ring_bytes;
        let tracer = Tracer::start(config, explainer)?;
        Ok(Self {
            process,
            tracer,
            ring_bytes,
            sampling,
            detail,
            is_recorded,
        })
    }

    /// Returns the current account of the tracer, or `None` if its thread has ended.
    pub(crate) fn account(&self) -> Option<Account> {
        self.tracer.account().ok()
    }

    /// Waits until the commits that began before `before_ns` have ended, and returns the number of those that have not:
    /// after a signal, or after [`COMMITS_GRACE`].
    pub(crate) async fn commits_ended(&self, before_ns: u64, signals: &Signals, line: &Line) -> usize {
        let was_cancelled = signals.end.is_cancelled();
        let grace = if was_cancelled {
            CANCELLED_GRACE
        } else {
            COMMITS_GRACE
        };
        let start = Instant::now();
        loop {
            let open = self.tracer.commits_begun(before_ns).unwrap_or(0);
            let is_over = start.elapsed() >= grace || signals.end.is_cancelled() != was_cancelled;
            if open == 0 || is_over {
                return open;
            }
            line.say(format!("waiting for {open} commits that began in the window"));
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Stops the trace and begins to detach the probes. The account counts from `before` on. `open_commits` have not ended.
    pub(crate) fn stop(self, before: Option<Account>, open_commits: usize) -> anyhow::Result<Traced> {
        let Stopped {
            sink: explainer,
            account,
            detaching,
        } = self.tracer.stop()?;
        let account = match before {
            Some(before) => account.since(&before),
            None => account,
        };
        let mut explained = explainer.finish();
        let over_time = &mut explained.breakdown.over_time;
        // Now, as the server may end with the run.
        over_time.threads = thread_names(&self.process, over_time.thread_ids());
        // Threads of connections mostly end with the load: some of them would have a name, and others none.
        over_time.threads.retain(|_, name| name != CONNECTION);
        name_groups(&mut explained.breakdown.holders.processes);
        Ok(Traced {
            explained,
            account,
            ring_bytes: self.ring_bytes,
            sampling: self.sampling,
            detail: self.detail,
            is_recorded: self.is_recorded,
            open_commits,
            detaching: Some(detaching),
        })
    }
}

/// Adds the control groups of the processes that still live.
fn name_groups(processes: &mut [ProcessRow]) {
    let names: Vec<String> = processes.iter().map(|process| process.name.clone()).collect();
    let mut groups = control_groups_of(&names);
    for process in processes {
        process.control_group = groups.remove(&process.name);
    }
}
