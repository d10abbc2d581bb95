//! Ctrl-C: the first ends the run with what was measured, the second stops at once.

use std::future::Future;
use std::io::{self, Write};

use logtrace_driver::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What was asked by signals (SIGINT, SIGTERM, SIGHUP).
#[derive(Clone, Debug)]
pub(crate) struct Interrupts {
    /// End in order, with what was measured.
    pub(crate) end: CancellationToken,
    /// Stop at once.
    pub(crate) abort: CancellationToken,
}

/// The run was stopped before there was anything to report.
#[derive(Debug, thiserror::Error)]
#[error("interrupted before anything was measured")]
pub(crate) struct Interrupted;

impl Interrupts {
    /// Listens from now on; call it inside the runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let interrupts = Self {
            end: CancellationToken::new(),
            abort: CancellationToken::new(),
        };
        let mut signals = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ];
        let told = interrupts.clone();
        tokio::spawn(async move {
            any(&mut signals).await;
            told.end.cancel();
            // The terminal may be gone: that is what a hang-up means.
            let _ = writeln!(io::stderr(), "\nending the run; once more to stop at once");
            any(&mut signals).await;
            told.abort.cancel();
        });
        Ok(interrupts)
    }

    /// Does `work` unless the run is to end.
    pub(crate) async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.end, work).await
    }

    /// Does `work` unless everything is to stop at once.
    pub(crate) async fn unless_aborted<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.abort, work).await
    }
}

async fn unless<T>(token: &CancellationToken, work: impl Future<Output = T>) -> Result<T, Interrupted> {
    tokio::select! {
        biased;
        () = token.cancelled() => Err(Interrupted),
        result = work => Ok(result),
    }
}

async fn any(signals: &mut [Signal; 3]) {
    let [interrupt, terminate, hangup] = signals;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}
