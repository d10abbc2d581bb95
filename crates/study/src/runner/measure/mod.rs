//! Measurements of a study, one after the other.

pub(crate) mod cpu_use;
pub(crate) mod group_counters;
pub(crate) mod machine;
pub(crate) mod measurement;
pub(crate) mod stage_times;
pub(crate) mod turn_block;

use std::time::{Duration, Instant};

use humantime::format_duration;
use logtrace_measure::measurement::{Interrupted, Line, Signals};
use logtrace_measure::run::CpuPlacement;
use logtrace_measure::say;
use logtrace_server::{Home, enter_mount_namespace};

use crate::cell::Cell;
use crate::order::measurement_order::Measurement;
use crate::order::{Step, TurnBlock};
use crate::plan::Plan;
use crate::runner::checks::settings_check::check_settings;
use crate::runner::checks::storage_check::check_file_systems;
use crate::runner::context::StudyContext;
use crate::runner::directory::StudyDir;
use crate::runner::directory::progress_file::StudyProgress;
use crate::runner::directory::turn_log::TurnLog;
use crate::runner::measure::measurement::measure;
use crate::runner::measure::turn_block::measure_block;
use crate::runner::server::SharedServers;

/// Study that can be measured.
#[derive(Debug)]
pub struct StudyRunner<'a> {
    /// Directory of the study.
    pub dir: &'a StudyDir,
    /// Plan.
    pub plan: &'a Plan,
    /// Cells.
    pub cells: &'a [Cell],
    /// Windows and blocks of short turns, in their order.
    pub steps: &'a [Step],
    /// Number of servers that run side by side.
    pub living: usize,
    /// Directories for private servers.
    pub home: &'a Home,
    /// CPUs of the servers and of logtrace.
    pub cpus: &'a CpuPlacement,
}

impl StudyRunner<'_> {
    /// Measures everything that is not measured yet, until a signal ends it. Saves the progress after each measurement.
    pub async fn run(&self, progress: &mut StudyProgress, signals: &Signals) -> anyhow::Result<()> {
        if self.cells.iter().any(Cell::needs_mounts) {
            // This must precede the start of any thread, which would stay in the outer mount namespace.
            enter_mount_namespace()?;
        }
        let line = Line::start("looking for finished measurements");
        let study = StudyContext {
            plan: self.plan,
            dir: self.dir,
            home: self.home,
            cpus: self.cpus,
            signals,
            line: &line,
        };
        let turns = TurnLog::read(self.dir)?;
        let is_measured = |step: &Step| match step {
            Step::Window(one) => self.dir.measured(&self.cells[one.cell], one).is_some(),
            Step::Turns(block) => turns.has(block),
        };
        let left: Vec<&Step> = self.steps.iter().filter(|step| !is_measured(step)).collect();
        let clock = StudyClock {
            begun: Instant::now(),
            earlier: progress.account.wall,
            finished: Duration::ZERO,
        };
        let mut cells: Vec<&Cell> = left.iter().flat_map(|step| self.cells_of(step)).collect();
        cells.sort_by_key(|cell| &cell.key);
        cells.dedup_by_key(|cell| &cell.key);
        signals
            .unless_aborted(check_file_systems(study, &cells))
            .await??;
        let checked = signals.unless_aborted(check_settings(study, &cells)).await??;
        let servers = SharedServers::new(study, progress.request.seed, self.living);
        let mut session = Session {
            servers,
            turns,
            clock,
            repeat: None,
        };
        if let Some(checked) = checked {
            // An error shows up again when a measurement needs the data, and a signal ends the first measurement.
            let _ = session.servers.load(checked, &mut progress.account).await;
        }
        let measured = self.measure_all(&left, &mut session, progress).await;
        let stopped = session.servers.stop().await;
        progress.account.wall = session.clock.wall();
        line.clear();
        self.dir.save(progress)?;
        stopped.and(measured)
    }

    /// Takes one step after the other.
    async fn measure_all(
        &self,
        left: &[&Step],
        session: &mut Session<'_>,
        progress: &mut StudyProgress,
    ) -> anyhow::Result<()> {
        let StudyContext { signals, line, .. } = session.servers.study;
        for (number, step) in left.iter().enumerate() {
            let planned = self.planned(&left[number..]);
            line.lead(&format!(
                "step {} of {}{} · ",
                self.steps.len() - left.len() + number + 1,
                self.steps.len(),
                session.clock.left(planned)
            ));
            self.start_repeat(step.repeat(), session).await?;
            let taken = self.take(step, session, progress).await;
            session.clock.finished += planned - self.planned(&left[number + 1..]);
            progress.account.wall = session.clock.wall();
            self.dir.save(progress)?;
            if !taken? || signals.end.is_cancelled() {
                break;
            }
        }
        Ok(())
    }

    /// Stops the servers that run side by side before a new repeat, so that each repeat has servers of its own: repeats with
    /// the same servers would agree in all that differs from one start to the next.
    async fn start_repeat(&self, repeat: u32, session: &mut Session<'_>) -> anyhow::Result<()> {
        let is_new = session
            .repeat
            .replace(repeat)
            .is_some_and(|before| before != repeat);
        match is_new && self.living > 1 && !session.servers.is_alone() {
            true => session.servers.stop().await,
            false => Ok(()),
        }
    }

    /// Takes a step. Returns whether it was not interrupted.
    async fn take(
        &self,
        step: &Step,
        session: &mut Session<'_>,
        progress: &mut StudyProgress,
    ) -> anyhow::Result<bool> {
        match step {
            Step::Window(window) => Ok(self.window(window, session, progress).await),
            Step::Turns(block) => self.turns(block, session, progress).await,
        }
    }

    /// Measures a window, and records its error, if it has one. Returns whether it was not interrupted.
    async fn window(
        &self,
        window: &Measurement,
        session: &mut Session<'_>,
        progress: &mut StudyProgress,
    ) -> bool {
        let StudyContext { signals, line, .. } = session.servers.study;
        let (cell, repeat) = (&self.cells[window.cell], window.repeat + 1);
        line.say(format!("window of {}", cell.key));
        let measuring = measure(&mut session.servers, cell, window, &mut progress.account);
        let result = signals.unless_aborted(measuring).await;
        let result = result.map_err(Into::into).flatten();
        progress.account.turns += u32::from(result.is_ok());
        if result.is_err() && !signals.end.is_cancelled() {
            session.servers.kill();
        }
        if result.as_ref().is_err_and(anyhow::Error::is::<Interrupted>) {
            return false;
        }
        let error = result.err().map(|error| format!("{error:#}"));
        if let Some(error) = &error {
            line.beside(|| say::lines(&format!("{} ({repeat}): {error}", cell.key)));
        }
        progress.record(&cell.key, repeat, error);
        true
    }

    /// Measures a block of short turns. Returns whether it was not interrupted: then it is measured again as a whole.
    async fn turns(
        &self,
        block: &TurnBlock,
        session: &mut Session<'_>,
        progress: &mut StudyProgress,
    ) -> anyhow::Result<bool> {
        let signals = session.servers.study.signals;
        let before = session.turns.last_cell().map(str::to_owned);
        let account = &mut progress.account;
        let measuring = measure_block(
            &mut session.servers,
            self.cells,
            block,
            before.as_deref(),
            account,
        );
        let result = signals.unless_aborted(measuring).await;
        match result.map_err(Into::into).flatten() {
            Ok(record) => session.turns.add(record).map(|()| true),
            Err(error) if error.is::<Interrupted>() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the cells of a step.
    fn cells_of(&self, step: &Step) -> Vec<&Cell> {
        match step {
            Step::Window(window) => vec![&self.cells[window.cell]],
            Step::Turns(block) => block.cells.iter().map(|&at| &self.cells[at]).collect(),
        }
    }

    /// Returns the planned length of load of these steps.
    fn planned(&self, steps: &[&Step]) -> Duration {
        let load = |step: &&Step| match step {
            Step::Window(window) => self.cells[window.cell].warmup + self.cells[window.cell].duration,
            Step::Turns(block) => {
                let turns = block.cells.iter().filter_map(|&at| self.cells[at].turns);
                turns.map(|turns| turns.wash_in + turns.length).sum()
            }
        };
        steps.iter().map(load).sum()
    }
}

/// State of a study during one call of logtrace.
struct Session<'a> {
    servers: SharedServers<'a>,
    turns: TurnLog,
    clock: StudyClock,
    /// Repeat of the last step.
    repeat: Option<u32>,
}

/// Clock of a study: its whole time, and an estimate of the rest.
struct StudyClock {
    begun: Instant,
    /// Time of earlier calls of logtrace for this study.
    earlier: Duration,
    /// Planned length of load of finished measurements.
    finished: Duration,
}

impl StudyClock {
    /// Returns the time over all calls of logtrace for this study.
    fn wall(&self) -> Duration {
        self.earlier + self.begun.elapsed()
    }

    /// Estimates the time for measurements with this planned length of load from the finished ones, in words.
    fn left(&self, load: Duration) -> String {
        if self.finished.is_zero() {
            return String::new();
        }
        let per_load = self.begun.elapsed().as_secs_f64() / self.finished.as_secs_f64();
        let left = Duration::from_secs(load.mul_f64(per_load).as_secs());
        format!(", {} left", format_duration(left))
    }
}
