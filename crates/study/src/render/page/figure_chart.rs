//! Chart of a grid: the figure of each cell with its interval, by the levels of the rows, a colour and a shape for each column.

use askama::Template;
use logtrace_report::render::ValueAxis;
use logtrace_statistics::with_interval;

use super::axis::{Levels, Tick, value_axis, value_ticks};
use super::palette::{ColumnLook, series};
use crate::render::texts::reference_text;
use crate::tables::cell_entry::{CellEntry, MeasuredEntry};
use crate::tables::reference::Reference;
use crate::tables::{Grid, StudyTable};

/// Share of the axis of levels by which neighbouring columns are apart.
const APART: f64 = 0.014;

/// Width of a letter.
const LETTER: f64 = 6.8;

/// Part of an interval above the largest value that the axis shows.
const SHOWN: f64 = 1.4;

#[derive(Template)]
#[template(path = "figure_chart.svg", escape = "html")]
struct Chart {
    title: String,
    values: Vec<Tick>,
    levels: Vec<Tick>,
    row_axis: String,
    columns: Vec<Column>,
    /// Line across the chart.
    reference: Option<Tick>,
}

/// Marks of one column.
struct Column {
    series: ColumnLook,
    /// Left edge of its entry in the legend.
    legend: f64,
    /// Points of the line through the marks; empty without a line.
    line: String,
    marks: Vec<Mark>,
}

/// Value of a cell. Places are shares of the drawing, from the left and from the top.
struct Mark {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    title: String,
}

/// Draws the chart of a grid, or nothing if no cell is measured.
pub(super) fn figure_chart(
    table: &StudyTable,
    grid: &Grid,
    title: String,
) -> Result<Option<String>, askama::Error> {
    let Some(most) = most(grid) else {
        return Ok(None);
    };
    let values = value_axis(most);
    let rows: Vec<&str> = grid.rows.iter().map(|row| row.level.as_str()).collect();
    let levels = Levels::of(&rows);
    let mut legend = 80.0;
    let columns = grid.columns.iter().enumerate().map(|(at, level)| {
        let name = table.column_name(level);
        let shift = (at as f64 - (grid.columns.len() - 1) as f64 / 2.0) * APART;
        let marks = grid.rows.iter().zip(&levels.ticks).filter_map(|(row, tick)| {
            let one = row.entries.get(at).and_then(CellEntry::measured)?;
            let named = format!("{} {}, {name}", table.row_axis, row.level);
            Some(mark(table, values, (tick.at + shift, named), one))
        });
        let marks: Vec<Mark> = marks.collect();
        let points = marks
            .iter()
            .map(|mark| format!("{:.1},{:.1}", 640.0 * mark.x, 240.0 * mark.y));
        let line = match levels.are_numbers {
            true => points.collect::<Vec<_>>().join(" "),
            false => String::new(),
        };
        let left = legend;
        legend += 28.0 + LETTER * name.chars().count() as f64;
        Column {
            series: series(at, &name),
            legend: left,
            line,
            marks,
        }
    });
    let columns: Vec<Column> = columns.collect();
    let chart = Chart {
        title,
        values: value_ticks(values, table.unit),
        columns,
        levels: levels.ticks,
        row_axis: table.row_axis.clone(),
        reference: grid
            .reference
            .as_ref()
            .and_then(|one| reference(table, values, one)),
    };
    chart.render().map(Some)
}

fn mark(table: &StudyTable, values: ValueAxis, (x, named): (f64, String), one: &MeasuredEntry) -> Mark {
    let y = |value| 1.0 - values.place(value);
    let interval = one.interval;
    let text = with_interval(one.value, interval, |value| table.unit.text(value));
    Mark {
        x,
        y: y(one.value),
        low: y(interval.map_or(one.value, |interval| interval.low)),
        high: y(interval.map_or(one.value, |interval| interval.high)),
        title: format!("{named}: {text}"),
    }
}

/// Returns the line of a reference, or `None` if it is beyond the axis.
fn reference(table: &StudyTable, values: ValueAxis, reference: &Reference) -> Option<Tick> {
    let at = values.place(reference.value);
    let text = reference_text(table, reference);
    (at < 1.0).then_some(Tick { at, text })
}

/// Returns the end of the axis: the largest value, and of the intervals above it as much as leaves the values readable.
fn most(grid: &Grid) -> Option<f64> {
    let measured = || grid.entries().filter_map(|(_, _, entry)| entry.measured());
    let largest = measured().map(|one| one.value).max_by(f64::total_cmp)?;
    let highs = measured().filter_map(|one| Some(one.interval?.high));
    Some(highs.fold(largest, f64::max).min(SHOWN * largest))
}
