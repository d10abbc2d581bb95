//! What one shard measured, and how parts make a whole.

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::dispatcher;
use crate::results::outages::Outage;
use crate::results::recorder::Recorder;
use crate::results::result::{Ended, Measured, achieved_closed, achieved_open};

/// The measured window as one shard had it; parts add up.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its window: one that ended early ends when it did.
    pub(crate) window: TimeRange,
    /// Why it ended.
    pub(crate) ended: Ended,
    /// What was recorded, all intervals ended.
    pub(crate) recorder: Recorder,
    /// What was handed out.
    pub(crate) board: dispatcher::Counts,
    /// Requests done when the window ended.
    pub(crate) done_by_end: u64,
    /// Requests that waited for a connection when it ended.
    pub(crate) backlog_end: u64,
    /// Requests that were never sent.
    pub(crate) unsent: u64,
    /// Requests that had no answer when the grace was over.
    pub(crate) unfinished: u64,
    /// CPU time of the shard's thread in the window and the grace.
    pub(crate) cpu_ns: u64,
}

impl Part {
    /// Adds another shard's part of the same window.
    pub(crate) fn add(&mut self, other: Self) {
        self.window.end_ns = self.window.end_ns.max(other.window.end_ns);
        self.ended = both(self.ended, other.ended);
        self.recorder.add(other.recorder);
        self.board.add(other.board);
        self.done_by_end += other.done_by_end;
        self.backlog_end += other.backlog_end;
        self.unsent += other.unsent;
        self.unfinished += other.unfinished;
        self.cpu_ns += other.cpu_ns;
    }

    /// The whole, once all parts are added.
    pub(crate) fn into_measured(mut self, config: &DriveConfig, outages: Vec<Outage>) -> Measured {
        let (kinds, per_tenth) = (self.recorder.take_kinds(), self.recorder.take_per_tenth());
        let (latencies, counts, per_second) = self.recorder.into_parts();
        let offered_per_s = config.pace.offered_per_s(self.window.length());
        let achieved_per_s = match offered_per_s {
            Some(offered) => achieved_open(offered, self.board.released, counts.done_in_time),
            None => achieved_closed(self.window, self.done_by_end),
        };
        Measured {
            window: self.window,
            offered_per_s,
            achieved_per_s,
            requests: self.board.released,
            done: counts.done,
            errors: counts.errors,
            retries: counts.retries,
            late: counts.late,
            queued: self.board.queued,
            unsent: self.unsent,
            unfinished: self.unfinished,
            backlog_max: self.board.backlog_max,
            backlog_end: self.backlog_end,
            lag: latencies.lag,
            service: latencies.service,
            response: latencies.response,
            retrying: latencies.retrying,
            per_second,
            per_tenth,
            kinds,
            orders_grown: None,
            outages,
            ended: self.ended,
            client_cpu_ns: self.cpu_ns,
        }
    }
}

/// Why a window ended that ended like this for some connections and like that for others: the server is gone when it is
/// for all.
fn both(one: Ended, other: Ended) -> Ended {
    match (one, other) {
        (Ended::Interrupted, _) | (_, Ended::Interrupted) => Ended::Interrupted,
        (Ended::ServerGone, Ended::ServerGone) => Ended::ServerGone,
        (Ended::ServerGone | Ended::Completed, Ended::Completed) | (Ended::Completed, Ended::ServerGone) => {
            Ended::Completed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_gone_when_it_is_for_all() {
        use Ended::{Completed, Interrupted, ServerGone};
        assert_eq!(both(ServerGone, ServerGone), ServerGone);
        assert_eq!(both(ServerGone, Completed), Completed);
        assert_eq!(both(Completed, ServerGone), Completed);
        assert_eq!(both(Interrupted, ServerGone), Interrupted);
        assert_eq!(both(Completed, Interrupted), Interrupted);
    }
}
