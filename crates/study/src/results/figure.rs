//! What can be tabulated.

use std::fmt;
use std::str::FromStr;

use logtrace_common::FileClass;
use logtrace_report::distribution::Distribution;
use logtrace_report::units;
use thiserror::Error;

/// A number that each turn comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Figure {
    /// `throughput`: requests a second that the server did.
    Throughput,
    /// `throughput_sd`: standard deviation of the requests done in each second.
    Deviation,
    /// `nopm`: new orders a minute of the TPC-C-like workload, those rolled back left out.
    Nopm,
    /// `lag_`, `service_` or `response_` with `mean`, `p50`, `p90`, `p95`, `p99`, `p999` or `max`: nanoseconds of requests.
    Requests(Span, Point),
    /// `commit_mean` and so on: nanoseconds of commits.
    Commits(Point),
    /// `commit.CLASS`: nanoseconds of a commit, on average, that are charged to files of a class.
    CommitPart(FileClass),
    /// `written.CLASS`: bytes a second that the server wrote to files of a class.
    Written(FileClass),
    /// `stalls`: how often throughput broke down.
    Stalls,
    /// `stalled`: nanoseconds of all stalls.
    Stalled,
    /// `stage.NAME`: nanoseconds of a statement, on average, in a stage of the server's.
    Stage(String),
}

/// A part of a request's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Span {
    /// Sent - due.
    Lag,
    /// Done - sent.
    Service,
    /// Done - due.
    Response,
}

/// A point of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// Arithmetic mean.
    Mean,
    /// Median.
    P50,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P999,
    /// Maximum.
    Max,
}

/// What the numbers of a figure are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Events in a second.
    PerSecond,
    /// Events in a minute.
    PerMinute,
    /// Nanoseconds.
    Time,
    /// Bytes in a second.
    BytesPerSecond,
    /// Events.
    Count,
}

/// No such figure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no figure {0:?}: write throughput, throughput_sd, nopm, lag_P, service_P, response_P or commit_P where P is \
     mean, p50, p90, p95, p99, p999 or max, commit.CLASS, written.CLASS, stalls, stalled, or stage.NAME"
)]
pub struct UnknownFigure(String);

const SPANS: [(Span, &str); 3] = [
    (Span::Lag, "lag"),
    (Span::Service, "service"),
    (Span::Response, "response"),
];

const POINTS: [(Point, &str); 7] = [
    (Point::Mean, "mean"),
    (Point::P50, "p50"),
    (Point::P90, "p90"),
    (Point::P95, "p95"),
    (Point::P99, "p99"),
    (Point::P999, "p999"),
    (Point::Max, "max"),
];

impl Point {
    /// All of them, from the lowest of the percentiles.
    pub const ALL: [Self; 7] = [
        Self::Mean,
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::P999,
        Self::Max,
    ];

    /// The point of a distribution.
    pub fn of(self, distribution: &Distribution) -> u64 {
        match self {
            Self::Mean => distribution.mean,
            Self::P50 => distribution.p50,
            Self::P90 => distribution.p90,
            Self::P95 => distribution.p95,
            Self::P99 => distribution.p99,
            Self::P999 => distribution.p999,
            Self::Max => distribution.max,
        }
    }
}

impl Figure {
    /// What its numbers are.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Throughput | Self::Deviation => Unit::PerSecond,
            Self::Nopm => Unit::PerMinute,
            Self::Requests(..) | Self::Commits(_) | Self::CommitPart(_) => Unit::Time,
            Self::Stalled | Self::Stage(_) => Unit::Time,
            Self::Written(_) => Unit::BytesPerSecond,
            Self::Stalls => Unit::Count,
        }
    }

    /// Whether it comes from tracing.
    pub fn is_traced(&self) -> bool {
        matches!(self, Self::Commits(_) | Self::CommitPart(_) | Self::Written(_))
    }
}

impl Unit {
    /// Its name in headings; empty where each number has its own.
    pub fn heading(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::PerMinute => "/min",
            Self::Time | Self::Count => "",
            Self::BytesPerSecond => "MB/s",
        }
    }

    /// A number in this unit, for people.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Time => format!("{}{}", sign(value), units::duration(whole(value.abs()))),
            Self::BytesPerSecond => format!("{}{:.2}", sign(value), value.abs() / 1e6),
            _ => three_digits(value),
        }
    }
}

fn sign(value: f64) -> &'static str {
    if value < 0.0 { "-" } else { "" }
}

/// A number with at least three digits that tell something.
fn three_digits(value: f64) -> String {
    let places = match value.abs() {
        0.0 => 0,
        below if below < 10.0 => 2,
        below if below < 100.0 => 1,
        _ => 0,
    };
    match places {
        0 => format!("{}{}", sign(value), units::count(whole(value.abs()))),
        places => format!("{value:.places$}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "callers give what is at least 0; what is beyond u64 saturates"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

impl FromStr for Figure {
    type Err = UnknownFigure;

    fn from_str(text: &str) -> Result<Self, UnknownFigure> {
        let unknown = || UnknownFigure(text.to_owned());
        if let Some((name, rest)) = text.split_once('.') {
            let class = rest.parse::<FileClass>().ok();
            return match (name, class) {
                ("stage", _) if !rest.is_empty() => Ok(Self::Stage(rest.to_owned())),
                ("commit", Some(class)) => Ok(Self::CommitPart(class)),
                ("written", Some(class)) => Ok(Self::Written(class)),
                _ => Err(unknown()),
            };
        }
        match text {
            "throughput" => return Ok(Self::Throughput),
            "throughput_sd" => return Ok(Self::Deviation),
            "nopm" => return Ok(Self::Nopm),
            "stalls" => return Ok(Self::Stalls),
            "stalled" => return Ok(Self::Stalled),
            _ => {}
        }
        let (span, point) = text.split_once('_').ok_or_else(unknown)?;
        let point = POINTS
            .iter()
            .find(|(_, name)| *name == point)
            .ok_or_else(unknown)?
            .0;
        match SPANS.iter().find(|(_, name)| *name == span) {
            Some(&(span, _)) => Ok(Self::Requests(span, point)),
            None if span == "commit" => Ok(Self::Commits(point)),
            None => Err(unknown()),
        }
    }
}

impl fmt::Display for Figure {
    /// As plans have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let point = |point: &Point| {
            POINTS
                .iter()
                .find(|(known, _)| known == point)
                .map_or("", |(_, name)| name)
        };
        let text = match self {
            Self::Throughput => "throughput".to_owned(),
            Self::Deviation => "throughput_sd".to_owned(),
            Self::Nopm => "nopm".to_owned(),
            Self::Requests(span, at) => {
                let span = SPANS
                    .iter()
                    .find(|(known, _)| known == span)
                    .map_or("", |(_, name)| name);
                format!("{span}_{}", point(at))
            }
            Self::Commits(at) => format!("commit_{}", point(at)),
            Self::CommitPart(class) => format!("commit.{class}"),
            Self::Written(class) => format!("written.{class}"),
            Self::Stalls => "stalls".to_owned(),
            Self::Stalled => "stalled".to_owned(),
            Self::Stage(name) => format!("stage.{name}"),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_as_they_are_written() {
        for text in [
            "throughput",
            "throughput_sd",
            "nopm",
            "lag_max",
            "service_p95",
            "response_p999",
            "commit_mean",
            "commit.binlog",
            "written.slow_log",
            "stalls",
            "stalled",
            "stage.waiting for handler commit",
        ] {
            assert_eq!(text.parse::<Figure>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "tps",
            "commit_p42",
            "commit.tables",
            "written.",
            "stage.",
            "queue_mean",
        ] {
            let error = text.parse::<Figure>().unwrap_err().to_string();
            assert!(error.contains("throughput"), "{error}");
        }
    }

    #[test]
    fn numbers_have_three_digits_and_their_unit() {
        assert_eq!(Unit::PerSecond.text(1234.4), "1,234");
        assert_eq!(Unit::PerSecond.text(12.34), "12.3");
        assert_eq!(Unit::Count.text(0.0), "0");
        assert_eq!(Unit::Time.text(1_310_000.0), "1.31 ms");
        assert_eq!(Unit::Time.text(-48_200.0), "-48.2 us");
        assert_eq!(Unit::BytesPerSecond.text(12_340_000.0), "12.34");
    }
}
