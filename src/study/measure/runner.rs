//! Runner of a study: measures one cell after the other, and continues after a failure.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use humantime::format_duration;
use logtrace_common::inert;
use logtrace_server::{Home, enter_mount_namespace};
use logtrace_study::{Cell, Measurement, Plan};

use crate::measurement::{Interrupted, Line, Signals};
use crate::run::CpuPlacement;
use crate::study::checks::settings_check::check_settings;
use crate::study::checks::storage_check::check_file_systems;
use crate::study::context::StudyContext;
use crate::study::directory::progress_file::Progress;
use crate::study::directory::study_dir::StudyDir;
use crate::study::measure::measurement::measure;
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
    /// CPUs of the servers and of logtrace.
    pub(crate) cpus: &'a CpuPlacement,
}

impl StudyRunner<'_> {
    /// Measures everything that is not measured yet, until a signal ends it. Saves the progress after each measurement.
    pub(crate) async fn run(&self, progress: &mut Progress, interrupts: &Signals) -> anyhow::Result<()> {
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
            interrupts,
            line: &line,
        };
        let is_measured = |one: &Measurement| self.dir.measured(&self.cells[one.cell], one).is_some();
        let left: Vec<&Measurement> = self.measurements.iter().filter(|one| !is_measured(one)).collect();
        let mut clock = Clock {
            begun: Instant::now(),
            earlier: progress.account.wall,
            finished: Duration::ZERO,
        };
        let mut cells: Vec<&Cell> = left.iter().map(|one| &self.cells[one.cell]).collect();
        cells.sort_by_key(|cell| &cell.key);
        cells.dedup_by_key(|cell| &cell.key);
        interrupts
            .unless_aborted(check_file_systems(study, &cells))
            .await??;
        let checked = interrupts.unless_aborted(check_settings(study, &cells)).await??;
        let mut server = SharedServer::new(study, progress.request.seed);
        if let Some(checked) = checked {
            // An error shows up again when a measurement needs the data, and a signal ends the first measurement.
            let _ = server.load(checked, &mut progress.account).await;
        }
        let measured = self.measure_all(&left, &mut server, progress, &mut clock).await;
        let stopped = server.stop().await;
        progress.account.wall = clock.wall();
        line.clear();
        self.dir.save(progress)?;
        stopped.and(measured)
    }

    /// Measures one cell after the other.
    async fn measure_all(
        &self,
        left: &[&Measurement],
        server: &mut SharedServer<'_>,
        progress: &mut Progress,
        clock: &mut Clock,
    ) -> anyhow::Result<()> {
        let StudyContext { interrupts, line, .. } = server.study;
        for (number, measurement) in left.iter().enumerate() {
            let (cell, repeat) = (&self.cells[measurement.cell], measurement.repeat + 1);
            let planned = self.planned(&left[number..]);
            line.lead(&format!(
                "measurement {} of {}{} · {} · ",
                self.measurements.len() - left.len() + number + 1,
                self.measurements.len(),
                clock.left(planned),
                cell.key
            ));
            let measuring = measure(server, cell, measurement, &mut progress.account);
            let result = interrupts.unless_aborted(measuring).await;
            let result = result.map_err(Into::into).flatten();
            clock.finished += planned - self.planned(&left[number + 1..]);
            progress.account.wall = clock.wall();
            progress.account.turns += u32::from(result.is_ok());
            let is_ended = interrupts.end.is_cancelled();
            if result.is_err() && !is_ended {
                server.kill();
            }
            let is_interrupted = result.as_ref().is_err_and(anyhow::Error::is::<Interrupted>);
            if !is_interrupted {
                let error = result.err().map(|error| format!("{error:#}"));
                if let Some(error) = &error {
                    line.beside(|| {
                        // An error of stderr cannot be reported anywhere.
                        let _ = writeln!(
                            io::stderr(),
                            "{}",
                            inert::lines(&format!("{} ({repeat}): {error}", cell.key))
                        );
                    });
                }
                progress.record(&cell.key, repeat, error);
            }
            self.dir.save(progress)?;
            if is_interrupted || is_ended {
                break;
            }
        }
        Ok(())
    }

    /// Returns the planned length of load of these measurements.
    fn planned(&self, measurements: &[&Measurement]) -> Duration {
        let cells = measurements.iter().map(|one| &self.cells[one.cell]);
        cells.map(|cell| cell.warmup + cell.duration).sum()
    }
}

/// Clock of a study: its whole time, and an estimate of the rest.
struct Clock {
    begun: Instant,
    /// Time of earlier calls of logtrace for this study.
    earlier: Duration,
    /// Planned length of load of finished measurements.
    finished: Duration,
}

impl Clock {
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
