//! Data of the script with which any two cells are compared.

use std::collections::BTreeMap;

use logtrace_report::render::{DURATION, wait_color};
use serde::Serialize;

use crate::report::StudyReport;
use crate::tables::Grid;
use crate::tables::cell_entry::MeasuredEntry;

/// All parts of the script. Each later one uses the ones before.
const PARTS: [&str; 3] = [
    DURATION,
    include_str!("../../../page/difference.js"),
    include_str!("../../../page/study.js"),
];

#[derive(Serialize)]
struct DifferenceData<'a> {
    cells: Vec<CellCauses<'a>>,
    /// Colours of the waits.
    colors: BTreeMap<String, String>,
}

/// Cell with its causes.
#[derive(Serialize)]
struct CellCauses<'a> {
    name: &'a str,
    causes: Vec<CauseMean<'a>>,
}

/// Cause with its mean nanoseconds of a commit or a statement.
#[derive(Serialize)]
struct CauseMean<'a> {
    cause: &'a str,
    wait: String,
    mean: f64,
}

pub(super) fn script() -> String {
    PARTS.concat()
}

/// Returns the cells that have causes, each with those of its first table, as JSON that no name can end.
pub(super) fn data(report: &StudyReport) -> Result<String, serde_json::Error> {
    let mut cells: Vec<CellCauses<'_>> = Vec::new();
    let mut colors = BTreeMap::new();
    let entries = report.tables.iter().flat_map(|table| &table.grids);
    let entries = entries.flat_map(Grid::entries);
    for entry in entries.filter_map(|(_, _, entry)| entry.measured()) {
        let causes = means(entry);
        if causes.is_empty() || cells.iter().any(|cell| cell.name == entry.cell) {
            continue;
        }
        colors.extend(
            entry
                .causes
                .iter()
                .map(|cause| (cause.wait.to_string(), wait_color(cause.wait))),
        );
        cells.push(CellCauses {
            name: &entry.cell,
            causes,
        });
    }
    Ok(serde_json::to_string(&DifferenceData { cells, colors })?.replace('<', "\\u003c"))
}

fn means(entry: &MeasuredEntry) -> Vec<CauseMean<'_>> {
    let means = entry.causes.iter().filter_map(|cause| {
        Some(CauseMean {
            cause: &cause.cause,
            wait: cause.wait.to_string(),
            mean: cause.mean?,
        })
    });
    means.collect()
}
