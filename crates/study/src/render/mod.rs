//! A study as text, tables or data. Each renderer is a pure function; whoever calls it writes the file.

mod csv;
mod markdown;
mod shared_text;
mod terminal;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::cell::Cell;
use crate::report::StudyReport;
use crate::results::study_results::Results;

/// Why a study could not be rendered.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The rows could not be written.
    #[error("cannot write the rows")]
    Csv(#[from] ::csv::Error),
    /// The report could not be written.
    #[error("cannot write the report")]
    Json(#[from] serde_json::Error),
}

/// Aligned text for a person at a terminal.
pub fn terminal(report: &StudyReport, color: bool) -> String {
    terminal::render(report, color)
}

/// The same for an issue or a wiki: `report.md`.
pub fn markdown(report: &StudyReport) -> String {
    markdown::render(report)
}

/// All entries of all tables, one row each: `tables.csv`.
pub fn tables_csv(report: &StudyReport) -> Result<String, RenderError> {
    csv::tables(report)
}

/// All stalls, one row each: `stalls.csv`.
pub fn stalls_csv(report: &StudyReport) -> Result<String, RenderError> {
    csv::stalls(report)
}

/// Requests in each second of each turn: `series.csv`.
pub fn series_csv(cells: &[Cell], results: &Results) -> Result<String, RenderError> {
    csv::series(cells, results)
}

/// Everything: `study.json`.
pub fn json(report: &StudyReport) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}
