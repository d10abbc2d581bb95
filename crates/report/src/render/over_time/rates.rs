//! How many requests or commits a second were due and done, and how many requests waited for a connection, over time.

use std::fmt::Write;

use logtrace_attribution::breakdown::{ColumnSums, HeatCells, OverTime, RequestCells};
use logtrace_common::units::{self, real};

use super::axis::{AxisTick, TimeAxis};
use super::chart_values::{ChartValues, ValueSeries, ValueUnit};
use super::stacked::HEIGHT;
use super::value_ticks::number_ticks;
use crate::document::Document;
use crate::render::value_axis::ValueAxis;

/// Most labels above 0: the pictures are low.
const MOST_LABELS: f64 = 3.0;

/// Share of the columns that an axis always shows, and the multiple of their highest value from which on the few others are cut off:
/// else what is done in a moment after a stall would flatten all the rest.
const ALWAYS_SHOWN: f64 = 0.95;
const CUT_FROM: f64 = 2.0;

/// Pictures of the rates and of the backlog, on the axis of a heat map.
pub(in crate::render) struct Rates {
    /// Word for the counted events, such as `Requests`.
    pub(in crate::render) subject: &'static str,
    /// Width of the drawings in their own units.
    pub(in crate::render) columns: u64,
    /// Corners of the area of those done, as the `points` of an SVG polygon.
    pub(in crate::render) done: String,
    /// Corners of the line of those due, of an open loop.
    pub(in crate::render) due: Option<String>,
    pub(in crate::render) labels: Vec<AxisTick>,
    /// Columns that are higher than the axis, if any are.
    pub(in crate::render) cut: Option<CutOff>,
    /// Sentence with what the picture shows, for who does not see it.
    pub(in crate::render) summary: String,
    /// Backlog of an open loop, if it was kept.
    pub(in crate::render) backlog: Option<Backlog>,
    /// Values for the pointer.
    pub(super) values: ChartValues,
}

/// Columns that are higher than an axis.
pub(in crate::render) struct CutOff {
    /// Lines at the top, as the path of an SVG.
    pub(in crate::render) path: String,
    pub(in crate::render) sentence: String,
}

/// Picture of the requests that waited for a free connection.
pub(in crate::render) struct Backlog {
    /// Corners of the area; absent if no request waited.
    pub(in crate::render) area: Option<String>,
    pub(in crate::render) labels: Vec<AxisTick>,
    /// Sentence with what the picture shows.
    pub(in crate::render) summary: String,
    /// Values for the pointer.
    pub(super) values: ChartValues,
}

/// Returns the rates: of requests, or of commits where the load was not logtrace's. There are none where only bursts were traced:
/// the rates of commits would be a comb.
pub(super) fn rates(document: &Document, over_time: &OverTime, times: TimeAxis) -> Option<Rates> {
    let requests = over_time.requests.as_ref().zip(document.driver.as_ref());
    match requests {
        Some((requests, driver)) => Some(of_requests(requests, driver.offered_per_s.is_some(), times)),
        None if document.gaps().is_some() => None,
        None => Some(drawn("Commits", &done(&over_time.commits, times), None, times)),
    }
}

/// Returns the widest columns of the requests, which the axis must not be narrower than.
pub(super) fn widest_ns(requests: &RequestCells) -> u64 {
    let sums = [&requests.due, &requests.backlog].into_iter().flatten();
    let widths = sums.map(|sums| sums.column_ns);
    widths.chain([requests.response.column_ns]).max().unwrap_or(0)
}

fn of_requests(requests: &RequestCells, is_open: bool, times: TimeAxis) -> Rates {
    let due = requests.due.as_ref().filter(|_| is_open);
    let due = due.map(|due| per_second(by_column(due, times), times));
    Rates {
        backlog: requests
            .backlog
            .as_ref()
            .filter(|_| is_open)
            .map(|backlog| waiting(backlog, times)),
        ..drawn(
            "Requests",
            &done(&requests.response, times),
            due.as_deref(),
            times,
        )
    }
}

fn drawn(subject: &'static str, done: &[f64], due: Option<&[f64]>, times: TimeAxis) -> Rates {
    // What is due is never cut off: it has no peak of its own after a stall.
    let reached = shown(done).max(highest(due.into_iter().flatten()));
    let axis = ValueAxis::up_to(reached, MOST_LABELS);
    let (most, at) = largest(done);
    let series = [("done", Some(done)), ("due", due)];
    let series = series
        .into_iter()
        .filter_map(|(name, values)| Some(ValueSeries::named(name, values?)));
    let values = ChartValues::of_columns(ValueUnit::Rate, times.column_ns, series.collect());
    Rates {
        subject,
        columns: times.columns,
        done: area(done, axis),
        due: due.map(|due| line(due, axis)),
        labels: number_ticks(axis),
        cut: cut_off(done, axis, times),
        summary: format!(
            "{subject} done a second: at most {}, at {}.",
            per_second_text(most),
            from(at, times)
        ),
        backlog: None,
        values,
    }
}

/// Returns the value that an axis has to reach: the highest, unless few columns are [`CUT_FROM`] times as high as all others.
fn shown(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let place = units::whole(ALWAYS_SHOWN * last as f64);
    let usual = usize::try_from(place).ok().and_then(|place| sorted.get(place));
    let (usual, most) = (usual.copied().unwrap_or(0.0), highest(values));
    if usual > 0.0 && most > CUT_FROM * usual {
        usual
    } else {
        most
    }
}

/// Returns what is higher than the axis.
fn cut_off(values: &[f64], axis: ValueAxis, times: TimeAxis) -> Option<CutOff> {
    let columns = values
        .iter()
        .zip(0_u64..)
        .filter(|(value, _)| **value > axis.end());
    let columns: Vec<u64> = columns.map(|(_, column)| column).collect();
    let lines = columns.iter().map(|column| format!("M{column},0h1"));
    let (most, at) = largest(values);
    (!columns.is_empty()).then(|| CutOff {
        path: lines.collect(),
        sentence: format!(
            "cut off at the top: up to {}, at {}",
            per_second_text(most),
            from(at, times)
        ),
    })
}

fn waiting(backlog: &ColumnSums, times: TimeAxis) -> Backlog {
    let sums = by_column(backlog, times);
    let means: Vec<f64> = sums.iter().map(|&ns| real(ns) / real(times.column_ns)).collect();
    let (most, at) = largest(&means);
    let is_empty = backlog.cells.is_empty();
    let axis = ValueAxis::up_to(most, MOST_LABELS);
    let series = vec![ValueSeries::named("waiting", &means)];
    Backlog {
        area: (!is_empty).then(|| area(&means, axis)),
        labels: number_ticks(axis),
        summary: match is_empty {
            true => "No request had to wait for a free connection.".to_owned(),
            false => format!(
                "Requests that waited for a free connection: at most {}, at {}.",
                units::tenths(most),
                from(at, times)
            ),
        },
        values: ChartValues::of_columns(ValueUnit::Count, times.column_ns, series),
    }
}

/// Returns how many of these ended a second, by column of the axis.
fn done(cells: &HeatCells, times: TimeAxis) -> Vec<f64> {
    let cells_of = cells.cells.iter().map(|cell| (cell.column, cell.count));
    per_second(summed(cells_of, cells.column_ns, times), times)
}

fn by_column(sums: &ColumnSums, times: TimeAxis) -> Vec<u64> {
    let cells = sums.cells.iter().map(|cell| (cell.column, cell.sum));
    summed(cells, sums.column_ns, times)
}

/// Returns sums by column of the axis. What is after its end is left out.
fn summed(cells: impl Iterator<Item = (u64, u64)>, width_ns: u64, times: TimeAxis) -> Vec<u64> {
    let mut sums = vec![0_u64; usize::try_from(times.columns).unwrap_or(0)];
    for (column, number) in cells {
        let column = times.column(column, width_ns);
        let at = column.and_then(|column| usize::try_from(column).ok());
        if let Some(sum) = at.and_then(|at| sums.get_mut(at)) {
            *sum = sum.saturating_add(number);
        }
    }
    sums
}

fn per_second(counts: Vec<u64>, times: TimeAxis) -> Vec<f64> {
    let seconds = real(times.column_ns) / 1e9;
    counts.into_iter().map(|count| real(count) / seconds).collect()
}

fn highest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().copied().fold(0.0, f64::max)
}

/// Returns the largest value and its column, the first of equal ones.
fn largest(values: &[f64]) -> (f64, u64) {
    let most = highest(values);
    let at = values.iter().zip(0..).find(|&(&value, _)| value >= most);
    (most, at.map_or(0, |(_, column)| column))
}

fn per_second_text(value: f64) -> String {
    match value < 10.0 {
        true => format!("{}/s", units::tenths(value)),
        false => format!("{}/s", units::tenths(value.round()).trim_end_matches(".0")),
    }
}

fn from(column: u64, times: TimeAxis) -> String {
    units::seconds(real(column.saturating_mul(times.column_ns)) / 1e9)
}

/// Returns the corners of a line of steps, one for each column.
fn line(values: &[f64], axis: ValueAxis) -> String {
    let mut points = String::new();
    for (value, column) in values.iter().zip(0_u64..) {
        let y = HEIGHT * (1.0 - axis.place(*value));
        // Writing to a string cannot fail.
        let _ = write!(points, "{column},{y:.1} {},{y:.1} ", column + 1);
    }
    points.truncate(points.trim_end().len());
    points
}

/// Returns the corners of the area below such a line.
fn area(values: &[f64], axis: ValueAxis) -> String {
    format!("0,{HEIGHT} {} {},{HEIGHT}", line(values, axis), values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::ColumnSum;
    use logtrace_attribution::breakdown::HeatCell;

    const TENTH_NS: u64 = 100_000_000;

    const TIMES: TimeAxis = TimeAxis {
        columns: 3,
        column_ns: 2 * TENTH_NS,
    };

    fn sums(cells: &[(u64, u64)]) -> ColumnSums {
        let cells = cells.iter().map(|&(column, sum)| ColumnSum { column, sum });
        ColumnSums {
            column_ns: TENTH_NS,
            cells: cells.collect(),
        }
    }

    fn requests() -> RequestCells {
        let cells = [(0, 5, 1), (1, 9, 1), (2, 5, 8), (9, 5, 100)];
        let cells = cells.map(|(column, row, count)| HeatCell { column, row, count });
        RequestCells {
            response: HeatCells {
                column_ns: TENTH_NS,
                cells: cells.into(),
            },
            due: Some(sums(&[(0, 3), (1, 1), (2, 6)])),
            backlog: Some(sums(&[(1, TENTH_NS), (2, TENTH_NS), (3, 2 * TENTH_NS)])),
            ..RequestCells::default()
        }
    }

    fn texts(labels: &[AxisTick]) -> Vec<&str> {
        labels.iter().map(|tick| tick.text.as_str()).collect()
    }

    #[test]
    fn columns_have_the_rates_of_their_time_and_what_is_later_is_left_out() {
        let found = of_requests(&requests(), true, TIMES);
        assert_eq!(
            found.done,
            "0,100 0,75.0 1,75.0 1,0.0 2,0.0 2,100.0 3,100.0 3,100"
        );
        assert_eq!(
            found.due.as_deref(),
            Some("0,50.0 1,50.0 1,25.0 2,25.0 2,100.0 3,100.0")
        );
        assert_eq!(texts(&found.labels), ["0", "20", "40"]);
        assert_eq!(found.summary, "Requests done a second: at most 40/s, at 0.2 s.");
        assert!(found.cut.is_none());
    }

    #[test]
    fn a_moment_after_a_stall_does_not_flatten_the_others_and_is_said() {
        let usual = std::iter::repeat_n(300.0, 99);
        let values: Vec<f64> = usual.chain([2_410.0]).collect();
        let found = drawn(
            "Requests",
            &values,
            None,
            TimeAxis {
                columns: 100,
                ..TIMES
            },
        );
        assert_eq!(texts(&found.labels), ["0", "100", "200", "300"]);
        let cut = found.cut.unwrap();
        assert_eq!(cut.path, "M99,0h1");
        assert_eq!(cut.sentence, "cut off at the top: up to 2,410/s, at 19.8 s");
        // Twice as much is usual for arrivals by chance.
        let values: Vec<f64> = std::iter::repeat_n(300.0, 99).chain([590.0]).collect();
        assert!(drawn("Requests", &values, None, TIMES).cut.is_none());
    }

    #[test]
    fn the_backlog_is_the_mean_number_of_waiting_requests() {
        let backlog = of_requests(&requests(), true, TIMES).backlog.unwrap();
        assert_eq!(
            backlog.area.as_deref(),
            Some("0,100 0,66.7 1,66.7 1,0.0 2,0.0 2,100.0 3,100.0 3,100")
        );
        assert_eq!(texts(&backlog.labels), ["0", "0.5", "1", "1.5"]);
        assert!(backlog.summary.contains("at most 1.5"), "{}", backlog.summary);
        let none = RequestCells {
            backlog: Some(sums(&[])),
            ..requests()
        };
        let none = of_requests(&none, true, TIMES).backlog.unwrap();
        assert_eq!(none.area, None);
        assert!(none.summary.starts_with("No request"), "{}", none.summary);
    }

    #[test]
    fn a_closed_loop_has_no_due_times_and_no_backlog() {
        let found = of_requests(&requests(), false, TIMES);
        assert!(found.due.is_none() && found.backlog.is_none());
    }

    #[test]
    fn nothing_is_flat() {
        let nothing = of_requests(&RequestCells::default(), true, TIMES);
        assert_eq!(
            nothing.done,
            "0,100 0,100.0 1,100.0 1,100.0 2,100.0 2,100.0 3,100.0 3,100"
        );
    }
}
