//! Tracing of a server during a measurement.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_common::{Detail, Sampling};
use logtrace_events::Request;
use logtrace_server::ServerFacts;
use logtrace_tracer::{Account, Detaching, Extent, RingBytes, Stopped, Tracer, TracerConfig};

use super::explainer::{Explained, Explainer, Incoming};
use super::window_signal::WindowSignal;

/// Tracer of a server.
#[derive(Debug)]
pub(crate) struct Tracing {
    tracer: Tracer<Explainer>,
    ring_bytes: RingBytes,
    sampling: Sampling,
}

/// Configuration of the tracer, with or without a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracingConfig {
    /// Level of detail.
    pub(crate) detail: Detail,
    /// Share of the time that is traced.
    pub(crate) sampling: Sampling,
    /// Whether to save the records.
    pub(crate) record: bool,
    /// Size of each CPU's ring, or `None` for the default.
    pub(crate) ring_bytes: Option<RingBytes>,
}

/// Inputs of the tracer.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// Configuration.
    pub(crate) config: TracingConfig,
    /// Requests of the load as they end, or `None` without a load.
    pub(crate) requests: Option<Receiver<Request>>,
}

/// Trace of the window.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Explained commits.
    pub(crate) explained: Explained,
    /// Account of the tracer.
    pub(crate) account: Account,
    /// Size of each CPU's ring.
    pub(crate) ring_bytes: RingBytes,
    /// Share of the time that was traced.
    pub(crate) sampling: Sampling,
    /// Probes that are being detached, or `None` if the caller waits for them.
    pub(crate) detaching: Option<Detaching>,
}

impl Tracing {
    /// Attaches the probes. `window_signal` announces the window later.
    pub(crate) fn start(
        server: &ServerFacts,
        dir: &RunDir,
        wanted: Wanted,
        window_signal: &Arc<WindowSignal>,
    ) -> anyhow::Result<Self> {
        let TracingConfig {
            detail,
            sampling,
            record,
            ring_bytes,
        } = wanted.config;
        let recording = match record {
            true => Some(
                dir.create_file(&dir.records())
                    .context("cannot create the recording")?,
            ),
            false => None,
        };
        let incoming = Incoming {
            window_signal: Arc::clone(window_signal),
            requests: wanted.requests,
            statements: detail == Detail::Full,
            ack_receiver: server.ack_receiver(),
        };
        let explainer = Explainer::new(server.pid, server.log_names(), incoming, recording)
            .context("cannot start the recording")?;
        let config = TracerConfig {
            extent: Extent { detail, sampling },
            ring_bytes: ring_bytes.unwrap_or_default(),
            pools_threads: server.pools_threads(),
            ..TracerConfig::new(server.pid)
        };
        let tracer = Tracer::start(config, explainer)?;
        Ok(Self {
            tracer,
            ring_bytes: config.ring_bytes,
            sampling,
        })
    }

    /// Returns the current account of the tracer, or `None` if its thread has ended.
    pub(crate) fn account(&self) -> Option<Account> {
        self.tracer.account().ok()
    }

    /// Stops the trace and begins to detach the probes. The account counts from `before` on.
    pub(crate) fn stop(self, before: Option<Account>) -> anyhow::Result<Traced> {
        let Stopped {
            sink: explainer,
            account,
            detaching,
        } = self.tracer.stop()?;
        let account = match before {
            Some(before) => account.since(&before),
            None => account,
        };
        Ok(Traced {
            explained: explainer.finish(),
            account,
            ring_bytes: self.ring_bytes,
            sampling: self.sampling,
            detaching: Some(detaching),
        })
    }
}
