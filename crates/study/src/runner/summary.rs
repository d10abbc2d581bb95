//! Summary of a study: its tables, as files and as a report for the terminal.

use crate::order::Step;
use crate::order::measurement_order::Measurement;
use crate::plan::scale::Scale;
use crate::render;
use crate::report::{RunPage, StudyReport, StudyTime};
use crate::results::StudyResults;
use crate::results::figure::Figure;
use crate::results::measurement_result::MeasurementResult;
use crate::runner::directory::progress_file::{StudyProgress, TimeAccount};
use crate::runner::directory::turn_log::TurnLog;
use crate::runner::measure::StudyRunner;
use crate::runner::measure::{group_counters, machine, stage_times};

/// Page of a run, and of the study.
const PAGE: &str = "report.html";

/// Reads all results, writes the tables into the study's directory, and returns the report.
pub fn summary(
    runner: &StudyRunner<'_>,
    scale: Scale,
    progress: &StudyProgress,
) -> anyhow::Result<StudyReport> {
    let mut results = results(runner, progress);
    TurnLog::read(runner.dir)?.add_to(&mut results);
    let mut report = StudyReport::new(runner.plan, scale, runner.cells, &results);
    report.time = Some(study_time(&progress.account));
    report.run_pages = run_pages(runner);
    let files = [
        (PAGE, render::html(&report)?),
        ("report.md", render::markdown(&report)),
        ("tables.csv", render::tables_csv(&report)?),
        ("stalls.csv", render::stalls_csv(&report)?),
        ("series.csv", render::series_csv(runner.cells, &results)?),
        ("study.json", render::json(&report)?),
    ];
    for (name, text) in files {
        runner.dir.write(name, &text)?;
    }
    for picture in render::pictures(&report)? {
        runner.dir.write(&picture.name, &picture.svg)?;
    }
    Ok(report)
}

/// Returns the measurements that have a run directory.
fn windows<'a>(runner: &'a StudyRunner<'_>) -> impl Iterator<Item = &'a Measurement> {
    runner.steps.iter().filter_map(|step| match step {
        Step::Window(window) => Some(window),
        Step::Turns(_) => None,
    })
}

/// Returns the pages of the runs that have one, by cell and repeat.
fn run_pages(runner: &StudyRunner<'_>) -> Vec<RunPage> {
    let mut windows: Vec<&Measurement> = windows(runner).collect();
    windows.sort_by_key(|measurement| (measurement.cell, measurement.repeat));
    let pages = windows.into_iter().filter_map(|measurement| {
        let cell = &runner.cells[measurement.cell];
        let path = runner.dir.run_dir(cell, measurement).join(PAGE);
        path.is_file().then(|| RunPage {
            cell: cell.key.clone(),
            repeat: measurement.repeat + 1,
            path: format!("cells/{}/{}/{PAGE}", cell.key, measurement.repeat + 1),
        })
    });
    pages.collect()
}

/// Returns the outcome of each measurement that was tried.
fn results(runner: &StudyRunner<'_>, progress: &StudyProgress) -> StudyResults {
    let mut results = StudyResults::default();
    for measurement in windows(runner) {
        let (cell, repeat) = (&runner.cells[measurement.cell], measurement.repeat);
        if let Some(document) = runner.dir.measured(cell, measurement) {
            let run_dir = runner.dir.run_dir(cell, measurement);
            let stages = stage_times::read(&run_dir);
            let mut result = MeasurementResult::new(&document, &stages, document.is_degraded());
            result.figures.extend(machine::read(&run_dir));
            if let Some(size) = group_counters::group_size(&run_dir) {
                result.figures.entry(Figure::GroupSize).or_insert(size);
            }
            results.insert(cell, repeat, Ok(result));
        } else if let Some(error) = progress.error(&cell.key, repeat + 1) {
            results.insert(cell, repeat, Err(error.to_owned()));
        }
    }
    results
}

fn study_time(account: &TimeAccount) -> StudyTime {
    let (wall_s, measuring_s) = (account.wall.as_secs_f64(), account.measuring.as_secs_f64());
    StudyTime {
        wall_s,
        measuring_s,
        measuring_share: if wall_s > 0.0 { measuring_s / wall_s } else { 0.0 },
        warming_up_s: account.warming_up.as_secs_f64(),
        serving_s: account.serving.as_secs_f64(),
        settling_s: account.settling.as_secs_f64(),
        around_s: account.around.as_secs_f64(),
    }
}
