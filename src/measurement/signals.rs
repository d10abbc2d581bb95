//! Signals (Ctrl-C): the first ends the run and keeps its results, the second stops at once.

use std::future::Future;
use std::io::{self, Write};

use logtrace_driver::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Requests to end that came as signals (SIGINT, SIGTERM, SIGHUP).
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    /// Set by the first signal: end in order and keep the results.
    pub(crate) end: CancellationToken,
    /// Set by the second signal: stop at once.
    pub(crate) abort: CancellationToken,
}

/// Reason why a signal left nothing to report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Interrupted {
    /// The window had not begun.
    #[error("interrupted before anything was measured")]
    Early,
    /// A second signal came.
    #[error("stopped at once: this run has no results")]
    Aborted,
}

impl Signals {
    /// Starts to listen. Must be called inside the runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let signals = Self {
            end: CancellationToken::new(),
            abort: CancellationToken::new(),
        };
        let mut streams = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ];
        let listener = signals.clone();
        tokio::spawn(async move {
            any(&mut streams).await;
            listener.end.cancel();
            // A hang-up means that the terminal may be gone.
            let _ = writeln!(
                io::stderr(),
                "\nending the run; press Ctrl-C again to stop at once"
            );
            any(&mut streams).await;
            listener.abort.cancel();
        });
        Ok(signals)
    }

    /// Does `work` until the first signal.
    pub(crate) async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.end, work).await.ok_or(Interrupted::Early)
    }

    /// Does `work` until the second signal.
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

async fn any(streams: &mut [Signal; 3]) {
    let [interrupt, terminate, hangup] = streams;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}
