//! Traces of a server under a load that is not of logtrace: find the server, attach, wait, detach.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use logtrace_common::{ConnectError, TimeRange};
use logtrace_driver::now_ns;
use logtrace_server::{ObservedChoice, ObservedServer, ServerError};
use logtrace_tracer::{check_program, give_up_rights};
use tokio::time::{Instant, interval_at};

pub use crate::config::trace_config::TraceConfig;
use crate::document::trace::document;
pub use crate::document::trace::results;
use crate::measurement::{
    ANSWER_TIME, CpuSampler, Line, Live, Namer, ServerSnapshot, Signals, StatusAtStart, Tracing, WindowSignal,
};
use crate::outcome::trace_outcome::Ended;
pub use crate::outcome::trace_outcome::TraceOutcome;
use crate::outputs::Outputs;
use crate::say;

/// Time between two updates of the progress line.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Traces. Changes nothing on the server.
pub async fn measure(
    config: &TraceConfig,
    outputs: &Outputs<'_>,
    signals: &Signals,
) -> anyhow::Result<TraceOutcome> {
    let line = Line::start("finding the server");
    let attached = signals
        .unless_ended(ObservedServer::attach(&config.server))
        .await?;
    let server = attached.map_err(with_remedy)?;
    if config.server == ObservedChoice::Only {
        line.beside(|| say::progress(&only_one(&server)));
    }
    let work = on_server(config, outputs, signals, &server, &line);
    let raw = signals.unless_aborted(work).await?;
    line.clear();
    raw
}

/// Names the server that was taken because there is no other one.
fn only_one(server: &ObservedServer) -> String {
    let binary = server.facts.binary.as_ref();
    let program = binary.map_or_else(String::new, |path| format!(" ({})", path.display()));
    format!(
        "tracing process {}{program}, the only server of this machine",
        server.pid
    )
}

/// Adds the remedy for a refused login.
fn with_remedy(error: ServerError) -> anyhow::Error {
    match error {
        ServerError::Connect(refused @ ConnectError::AccessDenied { .. }) => {
            anyhow!("{refused}. Without a login, name the server by its process: --pid PID")
        }
        error => error.into(),
    }
}

async fn on_server(
    config: &TraceConfig,
    outputs: &Outputs<'_>,
    signals: &Signals,
    server: &ObservedServer,
    line: &Line,
) -> anyhow::Result<TraceOutcome> {
    let pid = server.pid;
    server
        .facts
        .process
        .as_deref()
        .map_or(Ok(()), |process| check_program(process.program()))?;
    let mut raw = TraceOutcome {
        pid,
        snapshot: ServerSnapshot::before(&server.facts, server.connection.as_ref(), &[]),
        duration: Duration::ZERO,
        ended: Ended::NotYet,
    };
    outputs.unfinished(&raw.snapshot, document(outputs.started, &raw))?;
    let status = StatusAtStart::read(server.connection.as_ref()).await;
    let window_signal = Arc::new(WindowSignal::default());
    line.say("attaching the probes");
    let tracing = Tracing::start(&server.facts, outputs.dir, &config.tracing, None, &window_signal)?;
    give_up_rights().context("cannot give up the rights that are no longer needed")?;
    line.restart();
    // This comes first: the thread of the account may have to wait for a CPU.
    let window = window(config.duration);
    window_signal.announce(window);
    let before = tracing.account();
    let cpu = CpuSampler::start(Some(pid), &window_signal);
    let namer = status
        .as_ref()
        .map(|status| Namer::start(status.conn(), &server.facts, &window_signal));
    let live = Live::new(
        line.clone(),
        Some(Arc::clone(&window_signal)),
        config.report_every_s,
    );
    raw.ended = wait(config.duration, signals, server, &window_signal, live).await;
    let end_ns = now_ns().min(window.end_ns);
    window_signal.end(end_ns);
    raw.snapshot.cpu = cpu.and_then(|cpu| cpu.finish(end_ns));
    let open_commits = tracing.commits_ended(end_ns, signals, line).await;
    line.say("detaching the probes");
    raw.duration = Duration::from_nanos(end_ns - window.start_ns);
    raw.snapshot.traced = Some(tracing.stop(before, open_commits)?);
    raw.snapshot.take_status(status).await;
    raw.snapshot.take_names(namer).await;
    Ok(raw)
}

/// Returns the window from now on.
fn window(duration: Option<Duration>) -> TimeRange {
    let start_ns = now_ns();
    let length_ns = duration.map_or(u64::MAX, |duration| {
        u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
    });
    TimeRange::new(start_ns, start_ns.saturating_add(length_ns))
}

/// Waits for the end of the time, a signal, or the end of the server, and returns the first. Updates the progress line
/// each second.
async fn wait(
    duration: Option<Duration>,
    signals: &Signals,
    server: &ObservedServer,
    window_signal: &WindowSignal,
    live: Live,
) -> Ended {
    tokio::select! {
        biased;
        () = signals.end.cancelled() => Ended::Interrupted,
        _ = server.died() => Ended::ServerGone,
        () = time_over(duration) => Ended::Completed,
        never = tell(duration, window_signal, live) => never,
    }
}

async fn time_over(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

/// Shows the figures each second, forever.
async fn tell(duration: Option<Duration>, window_signal: &WindowSignal, mut live: Live) -> Ended {
    let start = Instant::now();
    let mut ticks = interval_at(start, TELL_EVERY);
    loop {
        ticks.tick().await;
        let time = start.elapsed();
        live.ask();
        tokio::time::sleep(ANSWER_TIME).await;
        live.traced(time, duration, window_signal.commits());
    }
}
