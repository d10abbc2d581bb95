//! The order of a trace: find the server, attach, wait, detach.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use logtrace_common::ConnectError;
use logtrace_common::TimeRange;
use logtrace_driver::now_ns;
use logtrace_server::{AttachError, ObserveError, ObservedServer};
use logtrace_tracer::check_program;
use tokio::time::{Instant, interval_at};

use super::config::TraceConfig;
use super::document::document;
use super::outcome::{Ended, Raw};
use crate::measurement::{Exchange, Interrupts, Line, Observed, Outputs, Tracing, Wanted};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Traces. Nothing of the server is changed.
pub(crate) async fn watch(
    config: &TraceConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
) -> anyhow::Result<Raw> {
    let line = Line::start("finding the server");
    let attached = interrupts
        .unless_ended(ObservedServer::attach(&config.server))
        .await?;
    let server = attached.map_err(with_remedy)?;
    let work = on_server(config, outputs, interrupts, &server, &line);
    let raw = interrupts.unless_aborted(work).await?;
    line.clear();
    raw
}

/// Who has no login can do without.
fn with_remedy(error: ObserveError) -> anyhow::Error {
    match error {
        ObserveError::Running(AttachError::Connect(refused @ ConnectError::AccessDenied { .. })) => {
            anyhow!("{refused}. Without a login, name the server by its process: --pid PID")
        }
        error => error.into(),
    }
}

async fn on_server(
    config: &TraceConfig,
    outputs: &Outputs<'_>,
    interrupts: &Interrupts,
    server: &ObservedServer,
    line: &Line,
) -> anyhow::Result<Raw> {
    let pid = server.facts().pid;
    check_program(&PathBuf::from(format!("/proc/{pid}/exe")))?;
    let mut raw = Raw {
        observed: Observed::before(server.facts(), server.connection(), &[]),
        duration: Duration::ZERO,
        ended: Ended::NotYet,
    };
    outputs.unfinished(&raw.observed, document(outputs.started, &raw))?;
    let status = Observed::status_now(server.connection()).await;
    let exchange = Arc::new(Exchange::default());
    line.say("attaching the probes");
    let wanted = Wanted {
        config: config.tracing,
        requests: None,
    };
    let tracing = Tracing::start(server.facts(), outputs.dir, wanted, &exchange)?;
    // Before all else: the account is told by a thread that may have to wait for a CPU.
    let window = window(config.duration);
    exchange.announce(window);
    let before = tracing.account();
    raw.ended = wait(config.duration, interrupts, server, &exchange, line).await;
    let end_ns = now_ns().min(window.end_ns);
    exchange.end(end_ns);
    line.say("detaching the probes");
    raw.duration = Duration::from_nanos(end_ns - window.start_ns);
    raw.observed.traced = Some(tracing.stop(before)?);
    raw.observed.take_status(status.as_ref()).await;
    Ok(raw)
}

/// From now on.
fn window(duration: Option<Duration>) -> TimeRange {
    let start_ns = now_ns();
    let length_ns = duration.map_or(u64::MAX, |duration| {
        u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
    });
    TimeRange::new(start_ns, start_ns.saturating_add(length_ns))
}

/// Waits for the first of: the end of the time, a signal, the server's end. Tells every second how far it is.
async fn wait(
    duration: Option<Duration>,
    interrupts: &Interrupts,
    server: &ObservedServer,
    exchange: &Exchange,
    line: &Line,
) -> Ended {
    tokio::select! {
        biased;
        () = interrupts.end.cancelled() => Ended::Interrupted,
        _ = server.died() => Ended::ServerGone,
        () = time_over(duration) => Ended::Completed,
        never = tell(duration, exchange, line) => never,
    }
}

async fn time_over(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

/// Never ends.
async fn tell(duration: Option<Duration>, exchange: &Exchange, line: &Line) -> Ended {
    let start = Instant::now();
    let mut ticks = interval_at(start, TELL_EVERY);
    let mut before = 0;
    loop {
        ticks.tick().await;
        let commits = exchange.commits();
        line.traced(start.elapsed(), duration, commits, commits - before);
        before = commits;
    }
}
