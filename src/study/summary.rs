//! Summary of a study: its tables, as files and as a report for the terminal.

use logtrace_study::{
    Measurement, MeasurementResult, Outcome, Results, Scale, StudyReport, StudyTime, render,
};

use crate::measurement::caveat::is_degrading;
use crate::study::directory::progress_file::{Progress, TimeAccount};
use crate::study::measure::runner::StudyRunner;
use crate::study::measure::stage_times;

/// Reads all results, writes the tables into the study's directory, and returns the report.
pub(crate) fn summary(
    runner: &StudyRunner<'_>,
    scale: Scale,
    progress: &Progress,
) -> anyhow::Result<StudyReport> {
    let results = results(runner, progress);
    let mut report = StudyReport::new(runner.plan, scale, runner.cells, &results);
    report.time = Some(study_time(&progress.account));
    let files = [
        ("report.md", render::markdown(&report)),
        ("tables.csv", render::tables_csv(&report)?),
        ("stalls.csv", render::stalls_csv(&report)?),
        ("series.csv", render::series_csv(runner.cells, &results)?),
        ("study.json", render::json(&report)?),
    ];
    for (name, text) in files {
        runner.dir.write(name, &text)?;
    }
    Ok(report)
}

/// Returns the outcome of each measurement that was tried.
fn results(runner: &StudyRunner<'_>, progress: &Progress) -> Results {
    let mut results = Results::default();
    for measurement in runner.measurements {
        if let Some(outcome) = outcome(runner, measurement, progress) {
            results.insert(&runner.cells[measurement.cell], measurement.repeat, outcome);
        }
    }
    results
}

fn outcome(runner: &StudyRunner<'_>, measurement: &Measurement, progress: &Progress) -> Option<Outcome> {
    let cell = &runner.cells[measurement.cell];
    if let Some(document) = runner.dir.measured(cell, measurement) {
        let stages = stage_times::read(&runner.dir.run_dir(cell, measurement));
        let is_degraded = document.caveats.iter().any(is_degrading);
        return Some(Ok(MeasurementResult::new(&document, &stages, is_degraded)));
    }
    let failure = progress.failure(&cell.key, measurement.repeat + 1)?;
    Some(Err(failure.error.clone()))
}

fn study_time(account: &TimeAccount) -> StudyTime {
    StudyTime {
        wall_s: account.wall.as_secs_f64(),
        measuring_s: account.measuring.as_secs_f64(),
        measuring_share: account.measuring_share(),
        warming_up_s: account.warming_up.as_secs_f64(),
        serving_s: account.serving.as_secs_f64(),
        settling_s: account.settling.as_secs_f64(),
        around_s: account.around.as_secs_f64(),
    }
}
