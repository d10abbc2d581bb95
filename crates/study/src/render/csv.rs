//! Tables, stalls and series as comma-separated values (RFC 4180).

use csv::{Error, Writer};
use logtrace_common::inert;

use crate::cell::Cell;
use crate::render::texts::{heading, largest, shares};
use crate::report::StudyReport;
use crate::results::StudyResults;
use crate::tables::cell_entry::CellEntry;
use crate::tables::{Grid, StudyTable};

/// Header of `tables.csv`. Times are nanoseconds, written bytes are bytes per second.
const TABLES: &str = "table,figure,of,row_axis,row,column_axis,column,cell,state,repeats,value,low,high,compared,\
                      compared_low,compared_high,p,significant,notes_and_causes,verdict\n";

/// Header of `stalls.csv`. Times are nanoseconds.
const STALLS: &str = "cell,repeat,at,length,done,usual,commits,kind,causes\n";

/// Header of `series.csv`.
const SERIES: &str = "cell,repeat,second,requests\n";

/// Returns all entries of all tables, one row each: `tables.csv`.
pub fn tables_csv(report: &StudyReport) -> Result<String, Error> {
    let mut writer = Writer::from_writer(Vec::from(TABLES));
    for table in &report.tables {
        for grid in &table.grids {
            for (row, column, entry) in grid.entries() {
                writer.write_record(record(table, grid, (row, column), entry))?;
            }
        }
    }
    text(writer)
}

/// Returns the requests in each second of each measurement, one row each: `series.csv`.
pub fn series_csv(cells: &[Cell], results: &StudyResults) -> Result<String, Error> {
    let mut writer = Writer::from_writer(Vec::from(SERIES));
    for (cell, repeat, measured) in results.of_all(cells) {
        for (second, requests) in measured.per_second.iter().enumerate() {
            writer.serialize((inert::csv(&cell.key), repeat + 1, second, requests.to_string()))?;
        }
    }
    text(writer)
}

/// Returns all stalls, one row each: `stalls.csv`.
pub fn stalls_csv(report: &StudyReport) -> Result<String, Error> {
    let mut writer = Writer::from_writer(Vec::from(STALLS));
    for row in &report.stalls {
        let stall = &row.stall;
        writer.serialize((
            (inert::csv(&row.cell), row.repeat, stall.at_ns, stall.length_ns),
            (stall.done, stall.usual, stall.commits),
            optional(stall.kind),
            inert::csv(&shares(&row.causes)),
        ))?;
    }
    text(writer)
}

fn record(table: &StudyTable, grid: &Grid, (row, column): (&str, &str), entry: &CellEntry) -> [String; 20] {
    let (cell, state) = match entry {
        CellEntry::Absent => ("", "absent"),
        CellEntry::Missing { cell, .. } => (cell.as_str(), "missing"),
        CellEntry::Measured(one) => (one.cell.as_str(), "measured"),
    };
    let one = entry.measured();
    let interval = one.and_then(|one| one.interval);
    let compared = one.and_then(|one| one.comparison);
    let between = compared.and_then(|compared| compared.interval);
    let causes = one
        .map(|one| largest(&one.causes))
        .filter(|causes| !causes.is_empty())
        .map(shares);
    let notes: Vec<String> = entry.notes().iter().cloned().chain(causes).collect();
    [
        inert::csv(&table.name),
        inert::csv(&table.figure),
        inert::csv(&heading(grid)),
        inert::csv(&table.row_axis),
        inert::csv(row),
        inert::csv(&table.column_axis),
        inert::csv(column),
        inert::csv(cell),
        state.to_owned(),
        optional(one.map(|one| one.repeats)),
        optional(one.map(|one| one.value)),
        optional(interval.map(|interval| interval.low)),
        optional(interval.map(|interval| interval.high)),
        optional(compared.map(|compared| compared.value)),
        optional(between.map(|interval| interval.low)),
        optional(between.map(|interval| interval.high)),
        optional(compared.and_then(|compared| compared.p)),
        optional(compared.map(|compared| compared.significant)),
        inert::csv(&notes.join("; ")),
        optional(one.and_then(|one| one.verdict)),
    ]
}

fn optional(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn text(writer: Writer<Vec<u8>>) -> Result<String, Error> {
    let bytes = writer.into_inner();
    let bytes = bytes.map_err(|error| Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
