//! Runner of a study: measures one cell after the other, and continues after a failure.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use humantime::format_duration;
use logtrace_server::{Home, enter_mount_namespace};
use logtrace_study::{Cell, Measurement, Plan};

use crate::measurement::{Interrupted, Line, Signals};
use crate::study::checks::settings_check::SettingsCheck;
use crate::study::checks::storage_check::check_all;
use crate::study::directory::progress_file::{Failure, Progress, TimeAccount};
use crate::study::directory::study_dir::StudyDir;
use crate::study::measure::measurement::measure;
use crate::study::server::loaded_data::CheckedServer;
use crate::study::server::shared_server::SharedServer;

/// Study that can be measured.
#[derive(Debug)]
pub(crate) struct StudyRunner<'a> {
    /// Directory of the study.
    pub(crate) dir: &'a StudyDir,
    /// Plan.
    pub(crate) plan: &'a Plan,
    /// Cells.
    pub(crate) cells: &'a [Cell],
    /// Measurements, in their order.
    pub(crate) measurements: &'a [Measurement],
    /// Directories for private servers.
    pub(crate) home: &'a Home,
}

/// End of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Each measurement was tried.
    Done,
    /// A signal ended it.
    Interrupted,
}

impl StudyRunner<'_> {
    /// Measures everything that is not measured yet. Saves the progress after each measurement.
    pub(crate) async fn run(&self, progress: &mut Progress, interrupts: &Signals) -> anyhow::Result<Ended> {
        if self.cells.iter().any(Cell::needs_mounts) {
            // This must precede the start of any thread, which would stay in the outer mount namespace.
            enter_mount_namespace()?;
        }
        let line = Line::start("looking for finished measurements");
        let left: Vec<&Measurement> = self
            .measurements
            .iter()
            .filter(|one| !self.is_measured(one))
            .collect();
        let mut clock = Clock::start(progress.account);
        let seed = progress.request.seed;
        let mut server = SharedServer::new(self.dir, self.home, seed, interrupts);
        let checked = self.check(&self.cells_of(&left), interrupts, &line).await?;
        let is_interrupted = match checked {
            Some(checked) => load(&mut server, checked, &mut clock, &line).await,
            None => false,
        };
        let ended = match is_interrupted {
            true => Ok(Ended::Interrupted),
            false => {
                self.measure_all(&left, &mut server, (&mut *progress, &mut clock), &line)
                    .await
            }
        };
        let stopped = server.stop(&line).await;
        progress.account = clock.stop();
        line.clear();
        self.dir.save(progress)?;
        stopped.and(ended)
    }

    /// Measures one cell after the other.
    async fn measure_all(
        &self,
        left: &[&Measurement],
        server: &mut SharedServer<'_>,
        (progress, clock): (&mut Progress, &mut Clock),
        line: &Line,
    ) -> anyhow::Result<Ended> {
        let interrupts = server.interrupts();
        for (number, measurement) in left.iter().enumerate() {
            let cell = &self.cells[measurement.cell];
            let planned = self.planned(&left[number..]);
            line.lead(format!(
                "measurement {} of {}{} · {} · ",
                self.measurements.len() - left.len() + number + 1,
                self.measurements.len(),
                clock.left(planned),
                cell.key
            ));
            let measuring = measure(server, cell, measurement, line, &mut clock.account);
            let result = interrupts.unless_aborted(measuring).await;
            let result = result.map_err(Into::into).flatten();
            clock.add(planned - self.planned(&left[number + 1..]));
            clock.account.turns += u32::from(result.is_ok());
            if result.is_err() && !interrupts.end.is_cancelled() {
                server.kill();
            }
            let is_interrupted = record(progress, cell, measurement, result, line);
            progress.account = clock.account;
            self.dir.save(progress)?;
            if is_interrupted || interrupts.end.is_cancelled() {
                return Ok(Ended::Interrupted);
            }
        }
        Ok(Ended::Done)
    }

    /// Returns the cells of these measurements, each once.
    fn cells_of(&self, measurements: &[&Measurement]) -> Vec<&Cell> {
        let mut cells: Vec<&Cell> = measurements.iter().map(|one| &self.cells[one.cell]).collect();
        cells.sort_by_key(|cell| &cell.key);
        cells.dedup_by_key(|cell| &cell.key);
        cells
    }

    /// Checks that file systems and servers accept the options of the plan. The server that was checked last still runs.
    async fn check<'c>(
        &self,
        cells: &[&'c Cell],
        interrupts: &Signals,
        line: &Line,
    ) -> anyhow::Result<Option<CheckedServer<'c>>> {
        let places = (self.dir, self.home);
        let checked = check_all(self.plan, cells, places, interrupts, line);
        interrupts.unless_aborted(checked).await??;
        let check = SettingsCheck {
            plan: self.plan,
            dir: self.dir,
            home: self.home,
            interrupts,
            line,
        };
        interrupts.unless_aborted(check.check(cells)).await?
    }

    fn is_measured(&self, measurement: &Measurement) -> bool {
        self.dir
            .measured(&self.cells[measurement.cell], measurement)
            .is_some()
    }

    /// Returns the planned length of load of these measurements.
    fn planned(&self, measurements: &[&Measurement]) -> Duration {
        let cells = measurements.iter().map(|one| &self.cells[one.cell]);
        cells.map(|cell| cell.warmup + cell.duration).sum()
    }
}

/// Loads data with the server that the check left running. Returns whether a signal ended that; another error shows up again when
/// a measurement needs the data.
async fn load(
    server: &mut SharedServer<'_>,
    checked: CheckedServer<'_>,
    clock: &mut Clock,
    line: &Line,
) -> bool {
    let loaded = server.load(checked, line, &mut clock.account).await;
    loaded.is_err_and(|error| error.is::<Interrupted>())
}

/// Records the outcome of a measurement. Returns whether a signal ended it.
fn record(
    progress: &mut Progress,
    cell: &Cell,
    measurement: &Measurement,
    result: anyhow::Result<()>,
    line: &Line,
) -> bool {
    let repeat = measurement.repeat + 1;
    match result {
        Ok(()) => {
            progress.remove_failure(&cell.key, repeat);
            false
        }
        Err(error) if error.is::<Interrupted>() => true,
        Err(error) => {
            let failure = Failure {
                cell: cell.key.clone(),
                repeat,
                error: format!("{error:#}"),
            };
            line.beside(|| {
                // An error of stderr cannot be reported anywhere.
                let _ = writeln!(io::stderr(), "{} ({repeat}): {}", failure.cell, failure.error);
            });
            progress.add_failure(failure);
            false
        }
    }
}

/// Clock of a study: its time by use, and an estimate of the rest.
struct Clock {
    begun: Instant,
    earlier: Duration,
    account: TimeAccount,
    /// Planned length of load of finished measurements.
    finished: Duration,
}

impl Clock {
    fn start(account: TimeAccount) -> Self {
        Self {
            begun: Instant::now(),
            earlier: account.wall,
            account,
            finished: Duration::ZERO,
        }
    }

    /// Adds a finished measurement with this planned length of load.
    fn add(&mut self, load: Duration) {
        self.finished += load;
        self.account.wall = self.earlier + self.begun.elapsed();
    }

    fn stop(mut self) -> TimeAccount {
        self.add(Duration::ZERO);
        self.account
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
