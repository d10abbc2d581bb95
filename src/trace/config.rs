//! What to trace, checked.

use std::path::{self, PathBuf};
use std::time::Duration;

use anyhow::Context;
use logtrace_common::Tls;
use logtrace_server::{Dsn, DsnError, ObservedChoice, Target};

use crate::cli::{TraceArgs, TracingArgs};
use crate::exit::UsageError;
use crate::measurement::{check_duration, checked_tracing};

/// A trace that can be tried.
#[derive(Clone, Debug)]
pub(crate) struct TraceConfig {
    /// Which server.
    pub(crate) server: ObservedChoice,
    /// Length of the window; until it is interrupted if there is none.
    pub(crate) duration: Option<Duration>,
    /// How to trace.
    pub(crate) tracing: TracingArgs,
    /// Where run directories are made.
    pub(crate) out: PathBuf,
}

impl TraceConfig {
    /// Checks what was typed.
    pub(crate) fn checked(arguments: &TraceArgs) -> anyhow::Result<Self> {
        if let Some(duration) = arguments.duration {
            check_duration(duration)?;
        }
        Ok(Self {
            server: server(arguments)?,
            duration: arguments.duration,
            tracing: checked_tracing(arguments.tracing, arguments.duration)?,
            out: arguments.out.clone(),
        })
    }
}

fn server(arguments: &TraceArgs) -> anyhow::Result<ObservedChoice> {
    if let Some(pid) = arguments.pid {
        return Ok(ObservedChoice::Process(pid));
    }
    if let Some(socket) = &arguments.socket {
        return Ok(ObservedChoice::Address(Dsn {
            target: Target::Socket(path::absolute(socket).context("--socket")?),
            user: arguments.user.clone(),
            database: None,
            tls: Tls::Disabled,
        }));
    }
    let address = arguments.address.as_deref().unwrap_or_default();
    let dsn = address
        .parse()
        .map_err(|error: DsnError| UsageError(error.to_string()))?;
    Ok(ObservedChoice::Address(dsn))
}
