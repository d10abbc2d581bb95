//! Forest plot: each comparison of a grid with its interval, on one axis.

use std::collections::BTreeSet;

use askama::Template;
use logtrace_statistics::{DifferenceScale, with_interval};

use crate::tables::{Grid, StudyTable};

/// Least and largest half of the axis, as logarithms of ratios.
const HALF: (f64, f64) = (0.1, 1.8);

/// Height of a line.
const LINE: f64 = 20.0;

#[derive(Template)]
#[template(path = "forest.svg", escape = "html")]
struct Forest {
    title: String,
    height: f64,
    /// Words at the left end, the middle and the right end of the axis.
    ends: [String; 3],
    /// Publications whose ratios the plot has.
    published: String,
    lines: Vec<ForestLine>,
}

/// Comparison of a cell with its baseline. Places are shares of the axis.
struct ForestLine {
    /// Axis and level of the row, above its first comparison.
    heading: Option<String>,
    name: String,
    text: String,
    y: f64,
    point: f64,
    interval: Option<(f64, f64)>,
    is_significant: bool,
    /// Published ratio: its place, and its text with the publication.
    published: Option<(f64, String)>,
}

/// Draws the comparisons of a grid, or nothing if it has none.
pub(super) fn forest(
    table: &StudyTable,
    grid: &Grid,
    title: String,
) -> Result<Option<String>, askama::Error> {
    let Some(compare) = table.compare else {
        return Ok(None);
    };
    let place = |value: f64| match compare {
        DifferenceScale::Ratio => value.max(f64::MIN_POSITIVE).ln(),
        DifferenceScale::Difference => value,
    };
    let half = half(grid, compare, place);
    let on_axis = |value: f64| (0.5 + 0.5 * place(value) / half).clamp(0.0, 1.0);
    let number = |value: f64| match compare {
        DifferenceScale::Ratio => format!("{value:.2}"),
        DifferenceScale::Difference => table.unit.text(value),
    };
    let compared = grid
        .entries()
        .filter_map(|(row, column, entry)| Some((row, column, entry.measured()?)));
    let compared = compared.filter_map(|(row, column, entry)| Some((row, column, entry, entry.comparison?)));
    let (mut y, mut before) = (0.0, None);
    let lines = compared.map(|(row, column, entry, one)| {
        let published = entry.published.as_ref();
        let is_first = before.replace(row) != Some(row);
        y += if is_first { 2.0 * LINE } else { LINE };
        ForestLine {
            heading: is_first.then(|| format!("{} {row}", table.row_axis)),
            name: table.column_name(column),
            text: with_interval(one.value, one.interval, number),
            y,
            point: on_axis(one.value),
            interval: one
                .interval
                .map(|interval| (on_axis(interval.low), on_axis(interval.high))),
            is_significant: one.significant,
            published: published.map(|one| {
                let text = format!("{}: {}", one.source, number(one.ratio));
                (on_axis(one.ratio), text)
            }),
        }
    });
    let lines: Vec<ForestLine> = lines.collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let ends = match compare {
        DifferenceScale::Ratio => [number((-half).exp()), "1".to_owned(), number(half.exp())],
        DifferenceScale::Difference => [number(-half), "0".to_owned(), number(half)],
    };
    let height = y + 1.5 * LINE;
    let forest = Forest {
        title,
        height,
        ends,
        published: sources(grid),
        lines,
    };
    forest.render().map(Some)
}

/// Returns the publications whose ratios are in a grid.
fn sources(grid: &Grid) -> String {
    let measured = grid.entries().filter_map(|(_, _, entry)| entry.measured());
    let sources = measured.filter_map(|one| Some(one.published.as_ref()?.source.as_str()));
    let sources: BTreeSet<&str> = sources.collect();
    sources.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns half the length of the axis, such that it has all comparisons, and their intervals unless these are far wider.
fn half(grid: &Grid, compare: DifferenceScale, place: impl Fn(f64) -> f64) -> f64 {
    let measured = grid.entries().filter_map(|(_, _, entry)| entry.measured());
    let (mut points, mut ends) = (0.0_f64, 0.0_f64);
    for (entry, one) in measured.filter_map(|entry| Some((entry, entry.comparison?))) {
        let published = entry.published.as_ref().map(|one| place(one.ratio).abs());
        points = points.max(place(one.value).abs()).max(published.unwrap_or(0.0));
        let interval = one.interval.iter();
        let far = interval.flat_map(|interval| [interval.low, interval.high]);
        ends = far.map(|value| place(value).abs()).fold(ends, f64::max);
    }
    match compare {
        DifferenceScale::Ratio => ends.max(points).clamp(HALF.0, HALF.1).max(points),
        DifferenceScale::Difference => ends.min(3.0 * points).max(points).max(f64::MIN_POSITIVE),
    }
}
