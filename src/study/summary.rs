//! What a study came to: its tables, as files and for whoever renders them.

use logtrace_report::document::Document;
use logtrace_study::{Measured, Outcome, Results, Scale, StudyReport, Turn, render};
use serde_json::{Value, json};

use crate::measurement::caveat::is_degrading;
use crate::study::directory::progress_file::{Account, State};
use crate::study::measure::runner::Work;
use crate::study::measure::stage_times;

/// Reads all turns, writes the tables into the study's directory, and returns them.
pub(crate) fn summary(work: &Work<'_>, scale: Scale, state: &State) -> anyhow::Result<StudyReport> {
    let results = results(work, state);
    let report = StudyReport::new(work.plan, scale, work.cells, &results);
    let files = [
        ("report.md", render::markdown(&report)),
        ("tables.csv", render::tables_csv(&report)?),
        ("stalls.csv", render::stalls_csv(&report)?),
        ("series.csv", render::series_csv(work.cells, &results)?),
        (
            "study.json",
            with_account(&render::json(&report)?, &state.account)?,
        ),
    ];
    for (name, text) in files {
        work.dir.write(name, &text)?;
    }
    Ok(report)
}

/// What each turn came to, as far as it was tried.
fn results(work: &Work<'_>, state: &State) -> Results {
    let mut results = Results::default();
    for turn in work.turns {
        if let Some(outcome) = outcome(work, turn, state) {
            results.insert(&work.cells[turn.cell], turn.repeat, outcome);
        }
    }
    results
}

fn outcome(work: &Work<'_>, turn: &Turn, state: &State) -> Option<Outcome> {
    let cell = &work.cells[turn.cell];
    if let Some(document) = work.dir.measured(cell, turn) {
        let stages = stage_times::read(&work.dir.turn(cell, turn));
        let measured = Measured::new(&document, &stages, is_degraded(&document));
        return Some(Outcome::Measured(Box::new(measured)));
    }
    let failure = state.failure(&cell.key, turn.repeat + 1)?;
    Some(Outcome::Failed(failure.error.clone()))
}

fn is_degraded(document: &Document) -> bool {
    document.caveats.iter().any(is_degrading)
}

/// Adds where the time went to the report as JSON, in seconds.
fn with_account(report: &str, account: &Account) -> anyhow::Result<String> {
    let mut value: Value = serde_json::from_str(report)?;
    if let Some(fields) = value.as_object_mut() {
        let time = json!({
            "wall_s": account.wall.as_secs_f64(),
            "measuring_s": account.measuring.as_secs_f64(),
            "measuring_share": account.measuring_share(),
            "warming_up_s": account.warming_up.as_secs_f64(),
            "serving_s": account.serving.as_secs_f64(),
            "settling_s": account.settling.as_secs_f64(),
            "around_s": account.around.as_secs_f64(),
        });
        fields.insert("time".to_owned(), time);
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
