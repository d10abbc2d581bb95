//! Figures of a measurement while it goes on: on the progress line, and as lines of their own.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;
use logtrace_attribution::breakdown::Recent;
use logtrace_common::units;
use logtrace_driver::{Progress, Stage};

use super::progress::Line;
use super::window_signal::WindowSignal;
use crate::say;

/// Time until the commits before a question are in the answer: the reader reads the rings each 200 ms.
pub const ANSWER_TIME: Duration = Duration::from_millis(250);

/// Teller of the figures.
pub struct Live {
    line: Line,
    /// Asks the explaining thread, if there is one.
    signal: Option<Arc<WindowSignal>>,
    /// Seconds between two lines, if lines are wanted.
    every_s: Option<u64>,
    requests: RequestsSinceLine,
    commits: Recent,
}

/// Requests since the last line.
#[derive(Default)]
struct RequestsSinceLine {
    done: u64,
    response: Option<Histogram<u64>>,
}

impl Live {
    /// Creates the teller of a measurement, traced if there is a signal.
    pub(crate) fn new(line: Line, signal: Option<Arc<WindowSignal>>, every_s: Option<u64>) -> Self {
        let is_shown = line.is_visible() || every_s.is_some();
        let signal = signal.filter(|_| is_shown);
        if let Some(signal) = &signal {
            // From now on the recent commits are collected.
            signal.ask();
        }
        Self {
            line,
            signal,
            every_s,
            requests: RequestsSinceLine::default(),
            commits: Recent::default(),
        }
    }

    /// Shows the progress of a load, once a second.
    pub(crate) fn driven(&mut self, progress: &Progress<'_>, of: Duration) {
        self.ask();
        if self.signal.is_some() {
            // On the thread that adds up seconds, and not on one that sends requests.
            thread::sleep(ANSWER_TIME);
        }
        let commits = self.answered();
        let stage = match progress.stage {
            Stage::Warmup => "warming up",
            Stage::Window => "measuring",
        };
        let time = format!("{stage}: {} s of {:.0} s", progress.seconds, of.as_secs_f64());
        let last_second = requests(progress.done_last_second, 1, progress.response);
        let backlog = format!("backlog {}", progress.backlog);
        let parts = [Some(time), Some(last_second), Some(backlog), largest(&commits)];
        self.line
            .say(parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
        if progress.stage == Stage::Window {
            self.requests.add(progress);
            self.commits.merge(&commits);
            self.line_of_requests(progress);
        }
    }

    /// Shows the progress of a trace, once a second and [`ANSWER_TIME`] after [`Self::ask`]: its time, and the commits explained
    /// so far.
    pub(crate) fn traced(&mut self, time: Duration, of: Option<Duration>, explained: u64) {
        let seconds = time.as_secs();
        let until = match of {
            Some(of) => format!("{seconds} s of {:.0} s", of.as_secs_f64()),
            None => format!("{seconds} s (Ctrl-C ends it)"),
        };
        let last = self.answered();
        let parts = [
            Some(format!("tracing: {until}, {explained} commits")),
            Some(commits(&last, 1)),
            largest(&last),
        ];
        self.line
            .say(parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
        self.commits.merge(&last);
        if let Some(every_s) = self.due(seconds) {
            let parts = [Some(commits(&self.commits, every_s)), largest(&self.commits)];
            self.write(seconds, parts);
            self.commits = Recent::default();
        }
    }

    fn line_of_requests(&mut self, progress: &Progress<'_>) {
        let Some(every_s) = self.due(progress.seconds) else {
            return;
        };
        let seen = std::mem::take(&mut self.requests);
        let figures = seen
            .response
            .map(|response| requests(seen.done, every_s, &response));
        let parts = [
            figures,
            Some(format!("backlog {}", progress.backlog)),
            largest(&self.commits),
        ];
        self.write(progress.seconds, parts);
        self.commits = Recent::default();
    }

    /// Returns the seconds between two lines, if one is due.
    fn due(&self, seconds: u64) -> Option<u64> {
        self.every_s
            .filter(|every_s| seconds > 0 && seconds.is_multiple_of(*every_s))
    }

    fn write(&self, seconds: u64, parts: impl IntoIterator<Item = Option<String>>) {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let text = format!("{seconds} s: {}", parts.join(", "));
        self.line.beside(|| say::line(&text));
    }

    /// Asks for the commits until now. They are there after [`ANSWER_TIME`].
    pub(crate) fn ask(&self) {
        if let Some(signal) = &self.signal {
            signal.ask();
        }
    }

    fn answered(&self) -> Recent {
        let signal = self.signal.as_ref();
        signal.map(|signal| signal.answered()).unwrap_or_default()
    }
}

impl RequestsSinceLine {
    fn add(&mut self, progress: &Progress<'_>) {
        self.done += progress.done_last_second;
        match &mut self.response {
            Some(sum) => *sum += progress.response,
            None => self.response = Some(progress.response.clone()),
        }
    }
}

fn requests(done: u64, seconds: u64, response: &Histogram<u64>) -> String {
    let rate = units::tenths(units::real(done) / units::real(seconds));
    match done {
        0 => format!("{rate} requests/s"),
        _ => format!(
            "{rate} requests/s, p50 {}, p99 {}",
            units::duration(response.value_at_quantile(0.5)),
            units::duration(response.value_at_quantile(0.99))
        ),
    }
}

fn commits(recent: &Recent, seconds: u64) -> String {
    let rate = units::tenths(units::real(recent.commits()) / units::real(seconds));
    match (recent.quantile_ns(500), recent.quantile_ns(990)) {
        (Some(p50), Some(p99)) => {
            format!(
                "{rate} commits/s, p50 {}, p99 {}",
                units::duration(p50),
                units::duration(p99)
            )
        }
        _ => format!("{rate} commits/s"),
    }
}

/// Returns the cause that took the most commit time, with its share.
fn largest(recent: &Recent) -> Option<String> {
    let (cause, share) = recent.largest_cause()?;
    let percent = 100.0 * share;
    Some(format!(
        "{percent:.0} % of commit time: {} ({})",
        cause.words(),
        cause.who
    ))
}
