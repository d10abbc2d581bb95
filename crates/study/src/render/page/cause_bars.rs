//! Stacked bars: what the commits of each cell waited for.

use askama::Template;
use logtrace_attribution::cause::Wait;
use logtrace_report::render::{Unit, wait_color};

use crate::tables::cause_share::CauseShare;
use crate::tables::{Grid, StudyTable};

/// Number of waits that the legend names.
const NAMED: usize = 9;

/// Entries of the legend in a row.
const COLUMNS: usize = 3;

/// Height of a bar with its distance to the next one.
const LINE: f64 = 22.0;

/// Least share of a part that is drawn by itself.
const LEAST: f64 = 0.002;

#[derive(Template)]
#[template(path = "cause_bars.svg", escape = "html")]
struct CauseBars {
    title: String,
    height: f64,
    lines: Vec<CellBar>,
    legend: Vec<Named>,
}

/// Bar of a cell.
struct CellBar {
    /// Axis and level of the row, above its first bar.
    heading: Option<String>,
    name: String,
    /// Mean of all causes together.
    mean: String,
    y: f64,
    parts: Vec<BarPart>,
}

/// Part of a bar: places from 0 to 1.
struct BarPart {
    left: f64,
    width: f64,
    color: String,
    title: String,
}

/// Wait with its colour.
struct Named {
    wait: Wait,
    color: String,
    x: f64,
    y: f64,
}

/// Levels of the row and the column of a cell.
type CellLevels<'a> = (&'a str, &'a str);

/// Draws the causes of a grid, or nothing if it has none.
pub(super) fn cause_bars(
    table: &StudyTable,
    grid: &Grid,
    title: String,
) -> Result<Option<String>, askama::Error> {
    let cells = grid.entries().filter_map(|(row, column, entry)| {
        let causes = &entry.measured()?.causes;
        (!causes.is_empty()).then_some(((row, column), causes))
    });
    let cells: Vec<(CellLevels<'_>, &Vec<CauseShare>)> = cells.collect();
    if cells.is_empty() {
        return Ok(None);
    }
    let waits = waits(&cells);
    let (mut y, mut before) = (-LINE, None);
    let lines = cells.iter().map(|&((row, column), causes)| {
        let is_first = before.replace(row) != Some(row);
        y += if is_first { 2.0 * LINE } else { LINE };
        CellBar {
            heading: is_first.then(|| format!("{} {row}", table.row_axis)),
            name: table.column_name(column),
            mean: mean(causes),
            y,
            parts: parts(causes, &waits),
        }
    });
    let lines: Vec<CellBar> = lines.collect();
    let legend = legend(&waits, y + LINE + 14.0);
    let bars = CauseBars {
        title,
        height: legend.iter().map(|named| named.y + 12.0).fold(0.0, f64::max),
        lines,
        legend,
    };
    bars.render().map(Some)
}

/// Returns the waits of all cells, the largest first.
fn waits(cells: &[(CellLevels<'_>, &Vec<CauseShare>)]) -> Vec<Wait> {
    let mut sums: Vec<(Wait, f64)> = Vec::new();
    for cause in cells.iter().flat_map(|(_, causes)| causes.iter()) {
        match sums.iter_mut().find(|(wait, _)| *wait == cause.wait) {
            Some((_, sum)) => *sum += cause.share,
            None => sums.push((cause.wait, cause.share)),
        }
    }
    sums.sort_by(|one, other| other.1.total_cmp(&one.1));
    sums.into_iter().map(|(wait, _)| wait).collect()
}

/// Returns the parts of a bar, in the order of the waits, so that equal colours are at equal places.
fn parts(causes: &[CauseShare], waits: &[Wait]) -> Vec<BarPart> {
    let mut left = 0.0;
    let mut parts = Vec::new();
    for wait in waits {
        for cause in causes.iter().filter(|cause| cause.wait == *wait) {
            let mean = cause
                .mean
                .map_or_else(String::new, |mean| format!(" ({})", Unit::Time.text(mean)));
            if cause.share >= LEAST {
                parts.push(BarPart {
                    left,
                    width: cause.share,
                    color: wait_color(*wait),
                    title: format!("{} {:.1} %{mean}", cause.cause, 100.0 * cause.share),
                });
            }
            left += cause.share;
        }
    }
    parts
}

fn mean(causes: &[CauseShare]) -> String {
    let means: Option<Vec<f64>> = causes.iter().map(|cause| cause.mean).collect();
    means.map_or_else(String::new, |means| Unit::Time.text(means.iter().sum()))
}

/// Returns the entries of the legend.
fn legend(waits: &[Wait], top: f64) -> Vec<Named> {
    let named = waits.iter().take(NAMED).enumerate();
    named
        .map(|(at, &wait)| Named {
            wait,
            color: wait_color(wait),
            x: 10.0 + 248.0 * (at % COLUMNS) as f64,
            y: top + 18.0 * (at / COLUMNS) as f64,
        })
        .collect()
}
