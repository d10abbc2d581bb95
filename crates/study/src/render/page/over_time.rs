//! Throughput of the cells of a grid over time, a panel for each cell.

use askama::Template;
use logtrace_report::render::{Unit, ValueAxis};

use super::axis::{Tick, value_axis, value_ticks};
use super::curve::StallArea;
use crate::results::stalls::Stall;
use crate::tables::cell_entry::{CellEntry, RepeatCurve};
use crate::tables::{Grid, StudyTable};

/// Left edge of the first panel, and right edge of the last.
const EDGES: (f64, f64) = (70.0, 750.0);
/// Distance between two panels of a row.
const GAP: f64 = 14.0;
/// Height of a row of panels with its texts.
const ROW: f64 = 104.0;
/// Height of a panel, and its bottom in its row.
const HEIGHT: f64 = 60.0;
const BOTTOM: f64 = 78.0;

#[derive(Template)]
#[template(path = "over_time.svg", escape = "html")]
struct OverTimeSection {
    title: String,
    height: f64,
    width: f64,
    panels: Vec<Panel>,
}

/// Throughput of a cell.
struct Panel {
    left: f64,
    top: f64,
    name: String,
    points: String,
    stalls: Vec<StallArea>,
    /// Labels of the axis of values, at the first panel of a row.
    values: Vec<Tick>,
    length: String,
}

/// Draws the throughput of each cell of a grid over time, or nothing if the plan does not want it or no cell is measured.
pub(super) fn over_time(
    table: &StudyTable,
    grid: &Grid,
    title: String,
) -> Result<Option<String>, askama::Error> {
    let curves = || grid.entries().filter_map(|(_, _, entry)| curve_of(entry));
    let rates = curves().flat_map(|one| one.curve.rates.iter().copied());
    let Some(most) = rates.max_by(f64::total_cmp) else {
        return Ok(None);
    };
    let (values, columns) = (value_axis(most), grid.columns.len().max(1));
    let width = (EDGES.1 - EDGES.0 + GAP) / columns as f64 - GAP;
    let panels = grid.entries().enumerate();
    let panels = panels.filter_map(|(at, (row, column, entry))| {
        let name = format!("{}, {}", table.row_name(row), table.column_name(column));
        let place = (at / columns, at % columns);
        Some(panel(curve_of(entry)?, place, values, width, name))
    });
    let chart = OverTimeSection {
        title,
        height: ROW * grid.rows.len() as f64,
        width,
        panels: panels.collect(),
    };
    chart.render().map(Some)
}

fn curve_of(entry: &CellEntry) -> Option<&RepeatCurve> {
    entry
        .measured()?
        .curve
        .as_ref()
        .filter(|one| !one.curve.rates.is_empty())
}

/// Returns the first and the last label of an axis: panels are low.
fn labels(values: ValueAxis) -> Vec<Tick> {
    let ticks = value_ticks(values, Unit::PerSecond);
    let (first, last) = (ticks.first().cloned(), ticks.last().cloned());
    first.into_iter().chain(last).collect()
}

fn panel(
    one: &RepeatCurve,
    (line, column): (usize, usize),
    values: ValueAxis,
    width: f64,
    name: String,
) -> Panel {
    let (count, length_s) = (one.curve.rates.len() as f64, one.curve.length_s());
    let point = |(at, rate): (usize, &f64)| {
        let (x, y) = ((at as f64 + 0.5) / count, values.place(*rate));
        format!("{:.1},{:.1}", width * x, BOTTOM - HEIGHT * y)
    };
    let points: Vec<String> = one.curve.rates.iter().enumerate().map(point).collect();
    let title = |stall: &Stall| format!("stalled for {}", Unit::Time.text(stall.length_ns as f64));
    let stalls = one
        .stalls
        .iter()
        .map(|stall| StallArea::new(stall, length_s, title(stall)));
    Panel {
        left: EDGES.0 + (width + GAP) * column as f64,
        top: ROW * line as f64,
        name,
        points: points.join(" "),
        stalls: stalls.collect(),
        values: match column {
            0 => labels(values),
            _ => Vec::new(),
        },
        length: format!("{length_s:.0} s, repeat {}", one.repeat),
    }
}
