//! The intervals of all shards become those of the drive: the log gets its lines, the watcher hears.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use crate::results::interval_log;
use crate::results::progress::{Progress, Stage, Watch};
use crate::results::recorder::Latencies;

/// All but the last interval are this long.
const SECOND: Duration = Duration::from_secs(1);

/// One second of one shard, or the rest of one.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// From 0.
    pub(crate) number: u64,
    /// A second, but for the last.
    pub(crate) length: Duration,
    /// Of the requests done in it.
    pub(crate) latencies: Latencies,
    /// Requests that waited for a connection in its end.
    pub(crate) backlog: u64,
}

/// The seconds of one stage.
pub(crate) struct Seconds<'a> {
    stage: Stage,
    log: Option<&'a mut dyn Write>,
    /// How many each shard has told.
    told: Vec<u64>,
    /// Those that not all have told.
    open: BTreeMap<u64, Interval>,
    done: u64,
}

impl<'a> Seconds<'a> {
    /// Seconds that nothing is written about.
    pub(crate) fn unlogged(stage: Stage, shards: usize) -> Self {
        Self {
            stage,
            log: None,
            told: vec![0; shards],
            open: BTreeMap::new(),
            done: 0,
        }
    }

    /// Seconds that are written to a log, whose first lines this writes; `base` is the wall-clock time of their start.
    pub(crate) fn logged(
        stage: Stage,
        shards: usize,
        base: SystemTime,
        log: &'a mut dyn Write,
    ) -> io::Result<Self> {
        log.write_all(&interval_log::header(base)?)?;
        Ok(Self {
            log: Some(log),
            ..Self::unlogged(stage, shards)
        })
    }

    /// This shard ended an interval; each does so in their order.
    pub(crate) fn take(&mut self, shard: usize, interval: Interval) {
        self.told[shard] = interval.number + 1;
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

    /// This shard says nothing more.
    pub(crate) fn through(&mut self, shard: usize) {
        self.told[shard] = u64::MAX;
    }

    /// Ends the intervals that all shards have told.
    pub(crate) fn end(&mut self, watch: &mut dyn Watch) -> io::Result<()> {
        let told_by_all = self.told.iter().copied().min().unwrap_or_default();
        while let Some(first) = self.open.first_entry()
            && *first.key() < told_by_all
        {
            let interval = first.remove();
            self.write(&interval)?;
            let done = interval.latencies.service.len();
            self.done += done;
            if interval.length == SECOND {
                watch.progress(&Progress {
                    stage: self.stage,
                    seconds: interval.number + 1,
                    done: self.done,
                    done_last_second: done,
                    backlog: interval.backlog,
                });
            }
        }
        Ok(())
    }

    fn write(&mut self, interval: &Interval) -> io::Result<()> {
        let Some(log) = &mut self.log else {
            return Ok(());
        };
        let start = Duration::from_secs(interval.number);
        let lines = interval_log::interval(&interval.latencies, start, interval.length);
        log.write_all(&lines.map_err(io::Error::other)?)?;
        // A run that is cut short has whole intervals up to its end.
        log.flush()
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::{Outcome, Request};

    use super::*;
    use crate::results::recorder::Recorder;

    fn interval(number: u64, requests: u64) -> Interval {
        let mut recorder = Recorder::new();
        for _ in 0..requests {
            recorder.record(&Request {
                due_ns: 0,
                sent_ns: 0,
                attempt_ns: 0,
                done_ns: 1000,
                outcome: Outcome::Done,
                retries: 0,
                thread: None,
            });
        }
        Interval {
            number,
            length: SECOND,
            latencies: recorder.interval().clone(),
            backlog: 1,
        }
    }

    #[derive(Default)]
    struct Heard(Vec<(u64, u64, u64, u64)>);

    impl Watch for Heard {
        fn progress(&mut self, progress: &Progress) {
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
        let mut seconds = Seconds::unlogged(Stage::Window, 3);
        for (shard, number, requests) in [(0, 0, 5), (0, 1, 2), (1, 0, 1), (1, 1, 1)] {
            seconds.take(shard, interval(number, requests));
            seconds.end(&mut heard).unwrap();
        }
        assert_eq!(heard.0, [], "the third has said nothing");
        seconds.through(0);
        seconds.take(2, interval(0, 4));
        seconds.end(&mut heard).unwrap();
        assert_eq!(heard.0, [(1, 10, 10, 3)]);
        seconds.through(2);
        seconds.end(&mut heard).unwrap();
        assert_eq!(heard.0[1..], [(2, 13, 3, 2)]);
        seconds.take(1, interval(2, 7));
        seconds.through(1);
        seconds.end(&mut heard).unwrap();
        assert_eq!(heard.0[2..], [(3, 20, 7, 1)]);
    }
}
