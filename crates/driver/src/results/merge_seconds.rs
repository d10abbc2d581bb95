//! Merging of the intervals of all shards for the interval log and the progress listener.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use crate::results::interval_log;
use crate::results::latencies::Latencies;
use crate::results::progress::{Progress, Stage, Watch};

/// Length of every interval but the last.
const SECOND: Duration = Duration::from_secs(1);

/// One second of one shard, or a shorter rest at the end.
#[derive(Clone, Debug)]
pub(crate) struct ShardSecond {
    /// Number of the interval, from 0.
    pub(crate) number: u64,
    /// Length: one second, or less for the last interval.
    pub(crate) length: Duration,
    /// Latencies of the requests done in the interval.
    pub(crate) latencies: Latencies,
    /// Number of requests that waited for a connection at the end of the interval.
    pub(crate) backlog: u64,
}

/// Merger of the intervals of one phase.
pub(crate) struct SecondMerger<'a> {
    stage: Stage,
    log: Option<&'a mut dyn Write>,
    /// Number of intervals received from each shard.
    received: Vec<u64>,
    /// Intervals not yet received from all shards.
    open: BTreeMap<u64, ShardSecond>,
    done: u64,
}

impl<'a> SecondMerger<'a> {
    /// Creates a merger. If there is a log, writes its first lines. `base` is the wall-clock time of the start.
    pub(crate) fn new(
        stage: Stage,
        shards: usize,
        base: SystemTime,
        mut log: Option<&'a mut dyn Write>,
    ) -> io::Result<Self> {
        if let Some(log) = &mut log {
            log.write_all(&interval_log::header(base)?)?;
            log.flush()?;
        }
        Ok(Self {
            stage,
            log,
            received: vec![0; shards],
            open: BTreeMap::new(),
            done: 0,
        })
    }

    /// Adds an interval of a shard. Each shard ends its intervals in order.
    pub(crate) fn add(&mut self, shard: usize, interval: ShardSecond) {
        self.received[shard] = interval.number + 1;
        match self.open.get_mut(&interval.number) {
            None => {
                self.open.insert(interval.number, interval);
            }
            Some(sum) => {
                sum.length = sum.length.max(interval.length);
                sum.latencies.add(&interval.latencies);
                sum.backlog += interval.backlog;
            }
        }
    }

    /// Marks a shard as finished.
    pub(crate) fn finish_shard(&mut self, shard: usize) {
        self.received[shard] = u64::MAX;
    }

    /// Writes and reports the intervals that all shards have ended.
    pub(crate) fn flush(&mut self, watch: &mut dyn Watch) -> io::Result<()> {
        let received_from_all = self.received.iter().copied().min().unwrap_or_default();
        while let Some(first) = self.open.first_entry()
            && *first.key() < received_from_all
        {
            let interval = first.remove();
            if let Some(log) = &mut self.log {
                let start = Duration::from_secs(interval.number);
                let lines = interval_log::interval(&interval.latencies, start, interval.length);
                log.write_all(&lines.map_err(io::Error::other)?)?;
                // A run that is cut short leaves whole intervals up to its end.
                log.flush()?;
            }
            let done = interval.latencies.service.len();
            self.done += done;
            if interval.length == SECOND {
                watch.progress(&Progress {
                    stage: self.stage,
                    seconds: interval.number + 1,
                    done: self.done,
                    done_last_second: done,
                    response: &interval.latencies.response,
                    backlog: interval.backlog,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::{Outcome, Request};

    use super::*;
    use crate::results::recorder::Recorder;

    fn interval(number: u64, requests: u64) -> ShardSecond {
        let mut recorder = Recorder::new();
        for _ in 0..requests {
            recorder.record(&Request {
                due_ns: 0,
                connection_wait_ns: 0,
                sent_ns: 0,
                attempt_ns: 0,
                done_ns: 1000,
                outcome: Outcome::Done,
                retries: 0,
                thread: None,
            });
        }
        ShardSecond {
            number,
            length: SECOND,
            latencies: recorder.interval.clone(),
            backlog: 1,
        }
    }

    #[derive(Default)]
    struct Heard(Vec<(u64, u64, u64, u64)>);

    impl Watch for Heard {
        fn progress(&mut self, progress: &Progress<'_>) {
            let Progress {
                seconds,
                done,
                done_last_second,
                backlog,
                ..
            } = *progress;
            self.0.push((seconds, done, done_last_second, backlog));
        }
    }

    #[test]
    fn a_second_ends_once_when_all_shards_have_told_it_or_are_through() {
        let mut heard = Heard::default();
        let mut seconds = SecondMerger::new(Stage::Window, 3, SystemTime::now(), None).unwrap();
        for (shard, number, requests) in [(0, 0, 5), (0, 1, 2), (1, 0, 1), (1, 1, 1)] {
            seconds.add(shard, interval(number, requests));
            seconds.flush(&mut heard).unwrap();
        }
        assert_eq!(heard.0, [], "the third has said nothing");
        seconds.finish_shard(0);
        seconds.add(2, interval(0, 4));
        seconds.flush(&mut heard).unwrap();
        assert_eq!(heard.0, [(1, 10, 10, 3)]);
        seconds.finish_shard(2);
        seconds.flush(&mut heard).unwrap();
        assert_eq!(heard.0[1..], [(2, 13, 3, 2)]);
        seconds.add(1, interval(2, 7));
        seconds.finish_shard(1);
        seconds.flush(&mut heard).unwrap();
        assert_eq!(heard.0[2..], [(3, 20, 7, 1)]);
    }
}
