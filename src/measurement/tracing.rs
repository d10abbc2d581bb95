//! Tracing a server while something measures it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_common::{Detail, Sampling};
use logtrace_events::Request;
use logtrace_server::ServerFacts;
use logtrace_tracer::{Account, Detaching, Extent, RingBytes, Stopped, Tracer, TracerConfig};

use super::explainer::{Explained, Explainer, Incoming};
use super::window_signal::Exchange;

/// A server that is traced.
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

/// What is wanted of a tracer.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// How the server is traced.
    pub(crate) config: TracingConfig,
    /// The requests of the load, as they end; `None` for somebody else's load.
    pub(crate) requests: Option<Receiver<Request>>,
}

/// What the tracer saw in the window.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Commits, explained.
    pub(crate) explained: Explained,
    /// The tracer's account.
    pub(crate) account: Account,
    /// The room that there was for records.
    pub(crate) ring_bytes: RingBytes,
    /// How much of the time was traced.
    pub(crate) sampling: Sampling,
    /// The probes, unless somebody else waits for them.
    pub(crate) detaching: Option<Detaching>,
}

impl Tracing {
    /// Attaches the probes to a server, whose commits are explained in the window that `exchange` announces later.
    pub(crate) fn start(
        server: &ServerFacts,
        dir: &RunDir,
        wanted: Wanted,
        exchange: &Arc<Exchange>,
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
            exchange: Arc::clone(exchange),
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

    /// The tracer's account of now, if its thread still tells.
    pub(crate) fn account(&self) -> Option<Account> {
        self.tracer.account().ok()
    }

    /// Begins to detach the probes. The account is of the time since an earlier one.
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
