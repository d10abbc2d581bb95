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

/// The run was stopped, and there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Interrupted {
    /// It had not come to its window.
    #[error("interrupted before anything was measured")]
    Early,
    /// It was not to end in order.
    #[error("stopped at once: nothing is kept of this run")]
    Aborted,
}

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
        unless(&self.end, work).await.ok_or(Interrupted::Early)
    }

    /// Does `work` unless everything is to stop at once.
    pub(crate) async fn unless_aborted<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.abort, work).await.ok_or(Interrupted::Aborted)
    }
}

async fn unless<T>(token: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = token.cancelled() => None,
        result = work => Some(result),
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
