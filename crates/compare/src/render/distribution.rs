//! Distributions of durations of both sides as curves over each other.

use std::fmt::Write;

use crate::comparison::Comparison;
use crate::render::texts::time;
use crate::side_durations::{DurationShare, SideDurations};

/// Picture of the durations of both sides.
pub(super) struct DistributionPlot {
    pub(super) name: String,
    /// Outlines of A and of B, as paths of SVG in a square of [`SIZE`].
    pub(super) outlines: [String; 2],
    /// Columns for the pointer.
    pub(super) columns: Vec<PlotColumn>,
    /// Durations below the picture with their places in percent.
    pub(super) times: Vec<(f64, String)>,
}

/// Column of a picture: a row of durations.
pub(super) struct PlotColumn {
    /// Left edge and width in percent.
    pub(super) left: f64,
    pub(super) width: f64,
    /// Whether it is in the right half, where the text has no room at its right.
    pub(super) is_right: bool,
    /// Values of both sides.
    pub(super) text: String,
}

/// Width and height of a picture.
const SIZE: f64 = 1_000.0;

/// Ratio of the ends of an axis from which it is long.
const WIDE: f64 = 1_000.0;

/// Least width of a row as a logarithm: that of 0 ns has none.
const NARROWEST: f64 = 0.05;

/// Powers of ten that are named below a picture: 1 us to 1,000 s.
const DECADES: std::ops::Range<i32> = 3..13;

/// Returns the pictures of what both sides have.
pub(super) fn plots(comparison: &Comparison) -> Vec<DistributionPlot> {
    comparison.distributions.iter().filter_map(plot).collect()
}

fn plot(durations: &SideDurations) -> Option<DistributionPlot> {
    let rows = &durations.rows;
    let axis = LogAxis::of(rows)?;
    let density =
        |share: f64, row: &DurationShare| share / (log(row.high_ns) - log(row.low_ns)).max(NARROWEST);
    let highest = rows
        .iter()
        .flat_map(|row| [density(row.a, row), density(row.b, row)])
        .fold(f64::MIN_POSITIVE, f64::max);
    let outline = |share: fn(&DurationShare) -> f64| {
        outline(rows.iter().map(|row| {
            let (left, right) = (axis.place(row.low_ns), axis.place(row.high_ns));
            (left, right, SIZE * (1.0 - density(share(row), row) / highest))
        }))
    };
    let decades = DECADES.map(|power| 10_u64.pow(power.unsigned_abs()));
    let times = decades.flat_map(|ns| axis.steps().iter().map(move |step| step * ns));
    let times = times.filter(|&ns| axis.has(ns));
    Some(DistributionPlot {
        name: durations.of.to_string(),
        outlines: [outline(|row| row.a), outline(|row| row.b)],
        columns: columns(rows, axis),
        times: times.map(|ns| (axis.percent(ns), time(ns as f64))).collect(),
    })
}

/// Axis of durations, by their logarithms.
#[derive(Clone, Copy)]
struct LogAxis {
    low: f64,
    high: f64,
}

impl LogAxis {
    fn of(rows: &[DurationShare]) -> Option<Self> {
        let (first, last) = (rows.first()?, rows.last()?);
        Some(Self {
            low: log(first.low_ns),
            high: log(last.high_ns),
        })
    }

    fn place(self, ns: u64) -> f64 {
        SIZE * (log(ns) - self.low) / (self.high - self.low)
    }

    fn percent(self, ns: u64) -> f64 {
        100.0 * self.place(ns) / SIZE
    }

    /// Returns the steps of a decade that are named: one on a long axis.
    fn steps(self) -> &'static [u64] {
        match self.high - self.low > WIDE.ln() {
            true => &[1],
            false => &[1, 2, 5],
        }
    }

    fn has(self, ns: u64) -> bool {
        (self.low..=self.high).contains(&log(ns))
    }
}

fn log(ns: u64) -> f64 {
    (ns.max(1) as f64).ln()
}

/// Returns a closed outline of columns: left and right ends, and tops. Between columns that are apart it is on the ground.
fn outline(columns: impl Iterator<Item = (f64, f64, f64)>) -> String {
    let mut path = String::new();
    let mut end = None;
    for (left, right, top) in columns {
        if end.is_none_or(|end: f64| (end - left).abs() > 1e-6) {
            let ground = end.map_or(String::new(), |end| format!("L{end:.2} {SIZE}"));
            let begin = if path.is_empty() { "M" } else { "L" };
            // Writing to a String cannot fail.
            _ = write!(path, "{ground}{begin}{left:.2} {SIZE}");
        }
        _ = write!(path, "L{left:.2} {top:.2}L{right:.2} {top:.2}");
        end = Some(right);
    }
    if let Some(end) = end {
        _ = write!(path, "L{end:.2} {SIZE}Z");
    }
    path
}

fn columns(rows: &[DurationShare], axis: LogAxis) -> Vec<PlotColumn> {
    let mut slower = [1.0, 1.0];
    let column = |row: &DurationShare| {
        slower = [slower[0] - row.a, slower[1] - row.b];
        let (left, right) = (axis.percent(row.low_ns), axis.percent(row.high_ns));
        let side = |name: &str, share: f64, slower: f64| {
            format!("{name} {}, slower {}", percent(share), percent(slower.max(0.0)))
        };
        PlotColumn {
            left,
            width: right - left,
            is_right: left > 50.0,
            text: format!(
                "{} to {}\n{}\n{}",
                time(row.low_ns as f64),
                time(row.high_ns as f64),
                side("A", row.a, slower[0]),
                side("B", row.b, slower[1])
            ),
        }
    };
    rows.iter().map(column).collect()
}

/// Returns a share in percent: the slowest durations are few.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match () {
        () if percent < 0.0005 => "0 %".to_owned(),
        () if percent < 1.0 => format!("{percent:.3} %"),
        () => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side_durations::Lasting;

    #[test]
    fn columns_follow_one_another_and_say_what_both_sides_have() {
        let row = |low_ns, high_ns, a, b| DurationShare {
            low_ns,
            high_ns,
            a,
            b,
        };
        let durations = SideDurations {
            of: Lasting::Commits,
            rows: vec![
                row(1_000, 2_000, 0.5, 0.0),
                row(2_000, 4_000, 0.5, 0.75),
                row(8_000, 16_000, 0.0, 0.25),
            ],
        };
        let plot = plot(&durations).unwrap();
        let ends: Vec<(f64, f64)> = plot
            .columns
            .iter()
            .map(|one| (one.left.round(), (one.left + one.width).round()))
            .collect();
        assert_eq!(ends, [(0.0, 25.0), (25.0, 50.0), (75.0, 100.0)]);
        assert_eq!(
            plot.columns[1].text,
            "2.00 us to 4.00 us\nA 50.0 %, slower 0 %\nB 75.0 %, slower 25.0 %"
        );
        assert_eq!(
            plot.outlines[1],
            "M0.00 1000L0.00 1000.00L250.00 1000.00L250.00 0.00L500.00 0.00L500.00 1000L750.00 1000\
             L750.00 666.67L1000.00 666.67L1000.00 1000Z"
        );
        let times: Vec<(f64, &str)> = plot
            .times
            .iter()
            .map(|(at, time)| (at.round(), time.as_str()))
            .collect();
        assert_eq!(
            times,
            [
                (0.0, "1.00 us"),
                (25.0, "2.00 us"),
                (58.0, "5.00 us"),
                (83.0, "10.0 us")
            ]
        );
    }
}
