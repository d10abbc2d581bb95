//! Tables, stalls and series as comma-separated values (RFC 4180).

use csv::{Error, Writer, WriterBuilder};

use crate::cell::Cell;
use crate::render::shared_text;
use crate::report::StudyReport;
use crate::results::stall_kind::StallKind;
use crate::results::study_results::Results;
use crate::tables::cell_entry::{Entry, MeasuredEntry};
use crate::tables::study_table::{Grid, Row, StudyTable};

/// Columns of `tables.csv`. Times are nanoseconds, written bytes are bytes per second.
const TABLES: [&str; 19] = [
    "table",
    "figure",
    "of",
    "row_axis",
    "row",
    "column_axis",
    "column",
    "cell",
    "state",
    "repeats",
    "value",
    "low",
    "high",
    "compared",
    "compared_low",
    "compared_high",
    "p",
    "significant",
    "notes_and_causes",
];

/// Columns of `stalls.csv`. Times are nanoseconds.
const STALLS: [&str; 9] = [
    "cell", "repeat", "at", "length", "done", "usual", "commits", "kind", "causes",
];

/// Columns of `series.csv`.
const SERIES: [&str; 4] = ["cell", "repeat", "second", "requests"];

/// Returns all entries of all tables, one row each: `tables.csv`.
pub fn tables_csv(report: &StudyReport) -> Result<String, Error> {
    let mut writer = writer(&TABLES)?;
    for table in &report.tables {
        for grid in &table.grids {
            for row in &grid.rows {
                for (column, entry) in grid.columns.iter().zip(&row.entries) {
                    writer.write_record(record(table, grid, row, column, entry))?;
                }
            }
        }
    }
    text(writer)
}

/// Returns the requests in each second of each measurement, one row each: `series.csv`.
pub fn series_csv(cells: &[Cell], results: &Results) -> Result<String, Error> {
    let mut writer = writer(&SERIES)?;
    for cell in cells {
        for (repeat, measured) in results.measured(cell) {
            for (second, requests) in measured.per_second.iter().enumerate() {
                writer.serialize((&cell.key, repeat + 1, second, requests.to_string()))?;
            }
        }
    }
    text(writer)
}

/// Returns all stalls, one row each: `stalls.csv`.
pub fn stalls_csv(report: &StudyReport) -> Result<String, Error> {
    let mut writer = writer(&STALLS)?;
    for stall in &report.stalls {
        writer.serialize((
            (&stall.cell, stall.repeat, stall.at, stall.length),
            (stall.done, stall.usual, stall.commits),
            stall.kind.map_or("", StallKind::as_str),
            shared_text::shares(&stall.causes),
        ))?;
    }
    text(writer)
}

fn record(table: &StudyTable, grid: &Grid, row: &Row, column: &str, entry: &Entry) -> Vec<String> {
    let mut record = vec![
        table.name.clone(),
        table.figure.clone(),
        shared_text::heading(grid),
        table.row_axis.clone(),
        row.level.clone(),
        table.column_axis.clone(),
        column.to_owned(),
    ];
    match entry {
        Entry::Absent => record.extend([String::new(), "absent".to_owned()]),
        Entry::Missing { cell, .. } => record.extend([cell.clone(), "missing".to_owned()]),
        Entry::Measured(one) => {
            record.extend([one.cell.clone(), "measured".to_owned()]);
            record.extend(numbers(one));
        }
    }
    record.resize(TABLES.len() - 1, String::new());
    record.push(match entry {
        Entry::Absent => String::new(),
        Entry::Missing { why, .. } => why.clone(),
        Entry::Measured(one) => {
            let causes = (!one.causes.is_empty()).then(|| shared_text::shares(&one.causes));
            one.notes
                .iter()
                .cloned()
                .chain(causes)
                .collect::<Vec<_>>()
                .join("; ")
        }
    });
    record
}

fn numbers(one: &MeasuredEntry) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let compared = one.comparison;
    let between = compared.and_then(|compared| compared.interval);
    vec![
        one.repeats.to_string(),
        one.value.to_string(),
        number(one.interval.map(|interval| interval.low)),
        number(one.interval.map(|interval| interval.high)),
        number(compared.map(|compared| compared.value)),
        number(between.map(|interval| interval.low)),
        number(between.map(|interval| interval.high)),
        number(compared.and_then(|compared| compared.p)),
        compared
            .map(|compared| compared.significant.to_string())
            .unwrap_or_default(),
    ]
}

fn writer(columns: &[&str]) -> Result<Writer<Vec<u8>>, Error> {
    let mut writer = WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(columns)?;
    Ok(writer)
}

fn text(writer: Writer<Vec<u8>>) -> Result<String, Error> {
    let bytes = writer.into_inner();
    let bytes = bytes.map_err(|error| Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
