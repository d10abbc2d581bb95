//! Signals (Ctrl-C): the first ends the run and keeps its results, the second stops at once.

use std::fs;
use std::future::{Future, poll_fn};
use std::io;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use logtrace_driver::CancellationToken;
use logtrace_tracer::give_up_rights;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::say;

/// Longest time from the second signal to the end of the process, even if the main thread hangs in a system call.
const GRACE: Duration = Duration::from_secs(9);

/// Requests to end that came as signals (SIGINT, SIGTERM, SIGHUP, SIGQUIT).
#[derive(Clone, Debug)]
pub struct Signals {
    /// Set by the first signal: end in order and keep the results.
    pub end: CancellationToken,
    /// Set by the second signal: stop at once.
    pub(crate) abort: CancellationToken,
}

/// Reason why a signal left nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    /// The window had not begun.
    #[error("interrupted before anything was measured")]
    Early,
    /// A second signal came.
    #[error("stopped at once: this run has no results")]
    Aborted,
}

impl Signals {
    /// Starts to listen, on a thread of its own: the main thread may hang. Signals that were ignored when the program
    /// started stay ignored (`nohup`).
    pub async fn listen() -> io::Result<Self> {
        let signals = Self {
            end: CancellationToken::new(),
            abort: CancellationToken::new(),
        };
        let listener = signals.clone();
        let (ready, is_ready) = oneshot::channel();
        thread::Builder::new()
            .name("logtrace-signals".into())
            .spawn(move || {
                // To wait for signals needs none, and a kernel that refuses this leaves them as they were.
                let _ = give_up_rights();
                listener.listen_until_aborted(ready);
            })?;
        is_ready.await.map_err(io::Error::other)??;
        Ok(signals)
    }

    /// Does `work` until the first signal.
    pub async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.end, work).await.ok_or(Interrupted::Early)
    }

    /// Does `work` until the second signal.
    pub async fn unless_aborted<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        unless(&self.abort, work).await.ok_or(Interrupted::Aborted)
    }

    fn listen_until_aborted(&self, ready: oneshot::Sender<io::Result<()>>) {
        let runtime = match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                // The receiver waits for this.
                let _ = ready.send(Err(error));
                return;
            }
        };
        let aborted = runtime.block_on(async {
            let streams = streams();
            let (mut streams, told) = match streams {
                Ok(streams) => (streams, Ok(())),
                Err(error) => (Vec::new(), Err(error)),
            };
            let is_listening = told.is_ok();
            // The receiver waits for this.
            let _ = ready.send(told);
            if is_listening {
                self.take_two(&mut streams).await;
            }
            is_listening
        });
        if aborted {
            thread::sleep(GRACE);
            stop_now();
        }
    }

    async fn take_two(&self, streams: &mut [Signal]) {
        any(streams).await;
        self.end.cancel();
        // A hang-up means that the terminal may be gone.
        say::lines("\nending the run; press Ctrl-C again to stop at once");
        any(streams).await;
        self.abort.cancel();
    }
}

/// Ends the process without any clean-up: the main thread hangs. The kernel ends the private server with it, and the next
/// start removes its files.
#[expect(
    unsafe_code,
    reason = "an exit in order would wait for what hangs, and std has no other"
)]
fn stop_now() {
    say::line("error: stopped at once: something hangs");
    // SAFETY: the process ends here, and nothing of it runs afterwards.
    unsafe { libc::_exit(1) }
}

async fn unless<T>(token: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = token.cancelled() => None,
        result = work => Some(result),
    }
}

/// Returns the signals that end a run and were not ignored when the program started.
fn streams() -> io::Result<Vec<Signal>> {
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::quit(),
    ];
    let ignored = ignored(&fs::read_to_string("/proc/self/status").unwrap_or_default());
    let heard = kinds
        .into_iter()
        .filter(|kind| ignored >> (kind.as_raw_value() - 1) & 1 == 0);
    heard.map(signal).collect()
}

/// Returns the mask of ignored signals in `/proc/PID/status`: the lowest bit is signal 1.
fn ignored(status: &str) -> u64 {
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// Waits for any of the signals.
async fn any(streams: &mut [Signal]) {
    poll_fn(|context| {
        // Takes one alone: another one that has come, too, is the second.
        let has_come = streams
            .iter_mut()
            .any(|stream| stream.poll_recv(context).is_ready());
        if has_come { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        let status =
            "Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000010002\n";
        assert_eq!(ignored(status), 1 << (1 - 1) | 1 << (13 - 1));
        assert_eq!((ignored(""), ignored("SigIgn:\tx")), (0, 0));
    }

    #[test]
    fn the_grace_ends_within_ten_seconds() {
        assert!(GRACE < Duration::from_secs(10));
    }
}
