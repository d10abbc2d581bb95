//! Result of one shard, and the sum over all shards.

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::dispatcher;
use crate::results::outages::Outage;
use crate::results::recorder::Recorder;
use crate::results::{DriveResult, EndReason, achieved_closed, achieved_open};

/// Result of the measured window on one shard.
#[derive(Debug)]
pub(crate) struct ShardResult {
    /// Window; if it ended early, up to that time.
    pub(crate) window: TimeRange,
    /// Reason why the window ended.
    pub(crate) ended: EndReason,
    /// Recorder with all intervals ended.
    pub(crate) recorder: Recorder,
    /// Counts of the dispatcher at the end of the grace period.
    pub(crate) dispatched: dispatcher::DispatchCounts,
    /// Number of requests done when the window ended.
    pub(crate) done_by_end: u64,
    /// Number of requests that waited for a connection when the window ended.
    pub(crate) backlog_end: u64,
    /// Number of requests that were never sent.
    pub(crate) unsent: u64,
    /// CPU time of the shard's thread in the window and the grace period.
    pub(crate) cpu_ns: u64,
}

impl ShardResult {
    /// Adds the result of another shard for the same window.
    pub(crate) fn add(&mut self, other: &Self) {
        self.window.end_ns = self.window.end_ns.max(other.window.end_ns);
        self.ended = combined(self.ended, other.ended);
        self.recorder.add(&other.recorder);
        self.dispatched.add(other.dispatched);
        self.done_by_end += other.done_by_end;
        self.backlog_end += other.backlog_end;
        self.unsent += other.unsent;
        self.cpu_ns += other.cpu_ns;
    }

    /// Converts the sum over all shards into the result of the drive.
    pub(crate) fn into_drive_result(self, config: &DriveConfig, outages: Vec<Outage>) -> DriveResult {
        let Recorder {
            total: latencies,
            done,
            done_in_time,
            errors,
            failures,
            retries,
            late,
            per_second,
            per_tenth,
            over_time,
            kinds,
            lag_parts,
            with_failed,
            steps,
            ..
        } = self.recorder;
        let offered_per_s = config.pace.offered_per_s(self.window.length());
        let achieved_per_s = match offered_per_s {
            Some(offered) => achieved_open(offered, self.dispatched.released, done_in_time),
            None => achieved_closed(self.window, self.done_by_end),
        };
        DriveResult {
            window: self.window,
            offered_per_s,
            achieved_per_s,
            requests: self.dispatched.released,
            from_warmup: self.dispatched.carried,
            done,
            errors,
            failures: failures.0,
            retries,
            late,
            queued: self.dispatched.queued,
            unsent: self.unsent,
            unfinished: self.dispatched.running,
            backlog_max: self.dispatched.backlog_max,
            backlog_end: self.backlog_end,
            lag: latencies.lag,
            service: latencies.service,
            lag_parts,
            response: latencies.response,
            response_with_failed: with_failed,
            steps,
            retrying: latencies.retrying,
            per_second,
            per_tenth,
            over_time,
            kinds,
            orders_grown: None,
            outages,
            ended: self.ended,
            client_cpu_ns: self.cpu_ns,
        }
    }
}

/// Combines the end reasons of two shards: the server is gone only if it is gone for both.
fn combined(one: EndReason, other: EndReason) -> EndReason {
    match (one, other) {
        (EndReason::Interrupted, _) | (_, EndReason::Interrupted) => EndReason::Interrupted,
        (EndReason::ServerGone, EndReason::ServerGone) => EndReason::ServerGone,
        (EndReason::ServerGone | EndReason::Completed, EndReason::Completed)
        | (EndReason::Completed, EndReason::ServerGone) => EndReason::Completed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_gone_when_it_is_for_all() {
        use EndReason::{Completed, Interrupted, ServerGone};
        assert_eq!(combined(ServerGone, ServerGone), ServerGone);
        assert_eq!(combined(ServerGone, Completed), Completed);
        assert_eq!(combined(Completed, ServerGone), Completed);
        assert_eq!(combined(Interrupted, ServerGone), Interrupted);
        assert_eq!(combined(Completed, Interrupted), Interrupted);
    }
}
