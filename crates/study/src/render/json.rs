//! Study as JSON: `study.json`.

use logtrace_common::inert;

use crate::report::StudyReport;

/// Returns the whole report as `study.json` has it.
pub fn json(report: &StudyReport) -> Result<String, serde_json::Error> {
    Ok(inert::json(&serde_json::to_string_pretty(report)?) + "\n")
}
