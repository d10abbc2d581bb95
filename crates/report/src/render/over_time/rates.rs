//! How many requests or commits a second were due and done, and how many requests waited for a connection, over time.

use std::fmt::Write;

use logtrace_attribution::breakdown::{ColumnSums, HeatCells, OverTime, RequestCells};
use logtrace_common::units::{self, real};

use super::axis::Times;
use super::stacked::HEIGHT;
use crate::document::Document;

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
    /// Height of the drawing.
    pub(in crate::render) highest: String,
    /// Sentence with what the picture shows, for who does not see it.
    pub(in crate::render) summary: String,
    /// Backlog of an open loop, if it was kept.
    pub(in crate::render) backlog: Option<Backlog>,
}

/// Picture of the requests that waited for a free connection.
pub(in crate::render) struct Backlog {
    /// Corners of the area; absent if no request waited.
    pub(in crate::render) area: Option<String>,
    pub(in crate::render) highest: String,
    /// Sentence with what the picture shows.
    pub(in crate::render) summary: String,
}

/// Returns the rates: of requests, or of commits where the load was not logtrace's. There are none where only bursts were traced:
/// the rates of commits would be a comb.
pub(super) fn rates(document: &Document, over_time: &OverTime, times: Times) -> Option<Rates> {
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

fn of_requests(requests: &RequestCells, is_open: bool, times: Times) -> Rates {
    let due = requests.due.as_ref().filter(|_| is_open);
    let due = due.map(|due| per_second(by_column(due, times), times));
    Rates {
        backlog: requests
            .backlog
            .as_ref()
            .filter(|_| is_open)
            .map(|backlog| waiting(backlog, times)),
        ..drawn("Requests", &done(&requests.response, times), due, times)
    }
}

fn drawn(subject: &'static str, done: &[f64], due: Option<Vec<f64>>, times: Times) -> Rates {
    let highest = highest(due.iter().flatten().chain(done));
    let (most, at) = largest(done);
    Rates {
        subject,
        columns: times.columns,
        done: area(done, highest),
        due: due.map(|due| line(&due, highest)),
        highest: per_second_text(highest),
        summary: format!(
            "{subject} done a second: at most {}, at {}.",
            per_second_text(most),
            from(at, times)
        ),
        backlog: None,
    }
}

fn waiting(backlog: &ColumnSums, times: Times) -> Backlog {
    let sums = by_column(backlog, times);
    let means: Vec<f64> = sums.iter().map(|&ns| real(ns) / real(times.column_ns)).collect();
    let (most, at) = largest(&means);
    let is_empty = backlog.cells.is_empty();
    Backlog {
        area: (!is_empty).then(|| area(&means, highest(&means))),
        highest: units::tenths(most),
        summary: match is_empty {
            true => "No request had to wait for a free connection.".to_owned(),
            false => format!(
                "Requests that waited for a free connection: at most {}, at {}.",
                units::tenths(most),
                from(at, times)
            ),
        },
    }
}

/// Returns how many of these ended a second, by column of the axis.
fn done(cells: &HeatCells, times: Times) -> Vec<f64> {
    let cells_of = cells.cells.iter().map(|cell| (cell.column, cell.count));
    per_second(summed(cells_of, cells.column_ns, times), times)
}

fn by_column(sums: &ColumnSums, times: Times) -> Vec<u64> {
    let cells = sums.cells.iter().map(|cell| (cell.column, cell.sum));
    summed(cells, sums.column_ns, times)
}

/// Returns sums by column of the axis. What is after its end is left out.
fn summed(cells: impl Iterator<Item = (u64, u64)>, width_ns: u64, times: Times) -> Vec<u64> {
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

fn per_second(counts: Vec<u64>, times: Times) -> Vec<f64> {
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

fn from(column: u64, times: Times) -> String {
    units::seconds(real(column.saturating_mul(times.column_ns)) / 1e9)
}

/// Returns the corners of a line of steps, one for each column.
fn line(values: &[f64], highest: f64) -> String {
    let mut points = String::new();
    for (value, column) in values.iter().zip(0_u64..) {
        let y = HEIGHT * (1.0 - if highest > 0.0 { value / highest } else { 0.0 });
        // Writing to a string cannot fail.
        let _ = write!(points, "{column},{y:.1} {},{y:.1} ", column + 1);
    }
    points.truncate(points.trim_end().len());
    points
}

/// Returns the corners of the area below such a line.
fn area(values: &[f64], highest: f64) -> String {
    format!("0,{HEIGHT} {} {},{HEIGHT}", line(values, highest), values.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::ColumnSum;
    use logtrace_attribution::breakdown::HeatCell;

    const TENTH_NS: u64 = 100_000_000;

    const TIMES: Times = Times {
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
        assert_eq!(found.highest, "40/s");
        assert_eq!(found.summary, "Requests done a second: at most 40/s, at 0.2 s.");
    }

    #[test]
    fn the_backlog_is_the_mean_number_of_waiting_requests() {
        let backlog = of_requests(&requests(), true, TIMES).backlog.unwrap();
        assert_eq!(
            backlog.area.as_deref(),
            Some("0,100 0,66.7 1,66.7 1,0.0 2,0.0 2,100.0 3,100.0 3,100")
        );
        assert_eq!(backlog.highest, "1.5");
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
        assert_eq!(nothing.highest, "0.0/s");
    }
}
