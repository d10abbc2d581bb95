//! What happens once a second: intervals end, the log gets its lines, the watcher hears.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use crate::clock::NS_PER_S;
use crate::floor::Floor;
use crate::interval_log;
use crate::watch::{Progress, Stage, Watch};

/// The seconds of one stage.
pub(crate) struct Ticks<'a> {
    stage: Stage,
    start_ns: u64,
    seconds: u64,
    log: Option<&'a mut dyn Write>,
}

impl<'a> Ticks<'a> {
    /// Seconds that nothing is written about.
    pub(crate) fn unlogged(stage: Stage, start_ns: u64) -> Self {
        Self {
            stage,
            start_ns,
            seconds: 0,
            log: None,
        }
    }

    /// Seconds that are written to a log, whose first lines this writes; `base` is the wall-clock time of
    /// `start_ns`.
    pub(crate) fn logged(
        stage: Stage,
        start_ns: u64,
        base: SystemTime,
        log: &'a mut dyn Write,
    ) -> io::Result<Self> {
        log.write_all(&interval_log::header(base)?)?;
        Ok(Self {
            log: Some(log),
            ..Self::unlogged(stage, start_ns)
        })
    }

    /// When the current second ends.
    pub(crate) fn next_ns(&self) -> u64 {
        self.start_ns + (self.seconds + 1) * NS_PER_S
    }

    /// Ends the seconds that are over by now.
    pub(crate) fn catch_up(&mut self, now_ns: u64, floor: &Floor, watch: &mut dyn Watch) -> io::Result<()> {
        while self.next_ns() <= now_ns {
            let done_last_second = self.end_interval(Duration::from_secs(1), floor)?;
            self.seconds += 1;
            watch.progress(&Progress {
                stage: self.stage,
                seconds: self.seconds,
                done: floor.recorder.borrow().counts().done,
                done_last_second,
                backlog: floor.board.borrow().backlog(),
            });
        }
        Ok(())
    }

    /// Ends the last, shorter interval, unless nothing was done in it.
    pub(crate) fn finish(&mut self, now_ns: u64, floor: &Floor) -> io::Result<()> {
        if floor.recorder.borrow().interval().service.is_empty() {
            return Ok(());
        }
        let since_ns = now_ns.saturating_sub(self.start_ns + self.seconds * NS_PER_S);
        self.end_interval(Duration::from_nanos(since_ns), floor)?;
        Ok(())
    }

    fn end_interval(&mut self, length: Duration, floor: &Floor) -> io::Result<u64> {
        let mut recorder = floor.recorder.borrow_mut();
        if let Some(log) = &mut self.log {
            let start = Duration::from_secs(self.seconds);
            let lines =
                interval_log::interval(recorder.interval(), start, length).map_err(io::Error::other)?;
            log.write_all(&lines)?;
            // A run that is cut short has whole intervals up to its end.
            log.flush()?;
        }
        Ok(recorder.next_interval())
    }
}
