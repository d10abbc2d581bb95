//! Tracing a server while something measures it.

use std::sync::Arc;

use anyhow::Context;
use logtrace_events::RunDir;
use logtrace_server::ServerFacts;
use logtrace_tracer::{Account, Tracer, TracerConfig};

use super::exchange::Exchange;
use super::explainer::{Explained, Explainer};

/// A server that is traced.
#[derive(Debug)]
pub(crate) struct Tracing {
    tracer: Tracer<Explainer>,
}

/// What the tracer saw in the window.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Commits, explained.
    pub(crate) explained: Explained,
    /// The tracer's account.
    pub(crate) account: Account,
}

impl Tracing {
    /// Attaches the probes to a server, whose commits are explained in the window that `exchange` announces later.
    /// Keeps every record in the run directory if asked.
    pub(crate) fn start(
        server: &ServerFacts,
        dir: &RunDir,
        record: bool,
        exchange: &Arc<Exchange>,
    ) -> anyhow::Result<Self> {
        let recording = match record {
            true => Some(
                dir.create_file(&dir.records())
                    .context("cannot create the recording")?,
            ),
            false => None,
        };
        let explainer = Explainer::new(server.pid, server.log_names(), Arc::clone(exchange), recording)
            .context("cannot start the recording")?;
        let tracer = Tracer::start(TracerConfig::new(server.pid), explainer)?;
        Ok(Self { tracer })
    }

    /// The tracer's account of now, if its thread still tells.
    pub(crate) fn account(&self) -> Option<Account> {
        self.tracer.account().ok()
    }

    /// Detaches the probes. The account is of the time since an earlier one.
    pub(crate) fn stop(self, before: Option<Account>) -> anyhow::Result<Traced> {
        let (explainer, account) = self.tracer.stop()?;
        let account = match before {
            Some(before) => account.since(&before),
            None => account,
        };
        Ok(Traced {
            explained: explainer.finish(),
            account,
        })
    }
}
