//! Figures: the numbers of a measurement that a table can show.

use std::fmt;
use std::str::FromStr;

use logtrace_attribution::breakdown::Distribution;
use logtrace_attribution::cause::{Wait, WaitKind};
use logtrace_common::FileClass;
use logtrace_report::render::Unit;
use strum::{Display, EnumIter, EnumString};
use thiserror::Error;

/// Figure: a number that each measurement yields.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Figure {
    /// `throughput`: requests done per second.
    Throughput,
    /// `throughput_sd`: standard deviation of the requests done in each second of the window.
    Deviation,
    /// `throughput_cv`: this deviation divided by the mean of these seconds.
    Variation,
    /// `throughput_p5` or `throughput_p95`: requests done in a second than which 5 or 95 % of the seconds have fewer.
    Second(SecondPoint),
    /// `nopm`: new orders per minute of the TPC-C-like workload, without those that are rolled back.
    Nopm,
    /// `lag_`, `service_` or `response_` with `mean`, `p50`, `p90`, `p95`, `p99`, `p999` or `max`: nanoseconds of requests.
    Requests(RequestTime, Point),
    /// `commit_` with the same suffixes: nanoseconds of commits.
    Commits(Point),
    /// `commit.CLASS`: mean nanoseconds of a commit that are charged to a class of files.
    CommitPart(FileClass),
    /// `wait.NAME`: mean nanoseconds of a commit that are charged to a wait, such as `wait.journal commit`.
    CommitWait(Wait),
    /// `kind.NAME`: mean nanoseconds of a commit that are charged to a kind of wait, such as `kind.storage`.
    CommitKind(WaitKind),
    /// `cpu_commit`: CPU nanoseconds of the server, divided by its commits.
    CpuOfCommit,
    /// `fsyncs.CLASS`: syncs of a class of files per commit.
    Fsyncs(FileClass),
    /// `bytes.CLASS`: bytes written to a class of files per commit.
    Bytes(FileClass),
    /// `group_size`: mean number of commits that are synced together.
    GroupSize,
    /// `fdatasync`: syncs of an overwritten page per second by one thread, just before the window and without the server.
    Fdatasync,
    /// `cpu_busy`: share of the time of all CPUs of the machine in which they were not idle. Where the server and its load have
    /// CPUs of their own, the larger share of the two sides.
    CpuBusy,
    /// `written.CLASS`: bytes per second that the server wrote to a class of files.
    Written(FileClass),
    /// `stalls`: number of stalls, in which throughput broke down.
    Stalls,
    /// `stalled`: nanoseconds of all stalls.
    Stalled,
    /// `stage.NAME`: mean nanoseconds of a statement in a stage of the server.
    Stage(String),
}

/// Point of the distribution of seconds by their requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum SecondPoint {
    /// 5th percentile.
    P5,
    /// 95th percentile.
    P95,
}

/// Part of the time of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum RequestTime {
    /// Sent minus due.
    Lag,
    /// Done minus sent.
    Service,
    /// Done minus due.
    Response,
}

/// Point of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumIter, EnumString)]
#[strum(serialize_all = "snake_case")]
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

/// Error for a text that names no figure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no figure {0:?}: write throughput, throughput_sd, throughput_cv, throughput_p5, throughput_p95, nopm, lag_P, \
     service_P, response_P or commit_P where P is mean, p50, p90, p95, p99, p999 or max, commit.CLASS, wait.NAME, \
     kind.NAME, cpu_commit, fsyncs.CLASS, bytes.CLASS, group_size, fdatasync, cpu_busy, written.CLASS, stalls, stalled, or stage.NAME"
)]
pub struct UnknownFigure(String);

impl Point {
    /// Returns this point of a distribution.
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
    /// Returns the unit.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Throughput | Self::Deviation | Self::Second(_) | Self::Fdatasync => Unit::PerSecond,
            Self::Nopm => Unit::PerMinute,
            Self::Requests(..) | Self::Commits(_) | Self::CommitPart(_) => Unit::Time,
            Self::CommitWait(_) | Self::CommitKind(_) | Self::CpuOfCommit => Unit::Time,
            Self::Stalled | Self::Stage(_) => Unit::Time,
            Self::Variation | Self::Fsyncs(_) | Self::GroupSize => Unit::Number,
            Self::Bytes(_) => Unit::Bytes,
            Self::CpuBusy => Unit::Share,
            Self::Written(_) => Unit::BytesPerSecond,
            Self::Stalls => Unit::Count,
        }
    }

    /// Returns whether the figure needs tracing.
    pub fn is_traced(&self) -> bool {
        match self {
            Self::Commits(_) | Self::CommitPart(_) | Self::CommitWait(_) | Self::CommitKind(_) => true,
            Self::Fsyncs(_) | Self::Bytes(_) | Self::GroupSize | Self::Written(_) | Self::CpuOfCommit => true,
            Self::Throughput | Self::Deviation | Self::Variation | Self::Second(_) | Self::Nopm => false,
            Self::Requests(..)
            | Self::CpuBusy
            | Self::Fdatasync
            | Self::Stalls
            | Self::Stalled
            | Self::Stage(_) => false,
        }
    }
}

impl FromStr for Figure {
    type Err = UnknownFigure;

    fn from_str(text: &str) -> Result<Self, UnknownFigure> {
        let unknown = || UnknownFigure(text.to_owned());
        if let Some((name, rest)) = text.split_once('.') {
            let class = rest.parse::<FileClass>().ok();
            return match (name, class) {
                ("stage", _) if !rest.is_empty() => Ok(Self::Stage(rest.to_owned())),
                ("wait", _) => rest.parse().map(Self::CommitWait).map_err(|_| unknown()),
                ("kind", _) => rest.parse().map(Self::CommitKind).map_err(|_| unknown()),
                ("commit", Some(class)) => Ok(Self::CommitPart(class)),
                ("fsyncs", Some(class)) => Ok(Self::Fsyncs(class)),
                ("bytes", Some(class)) => Ok(Self::Bytes(class)),
                ("written", Some(class)) => Ok(Self::Written(class)),
                _ => Err(unknown()),
            };
        }
        match text {
            "throughput" => return Ok(Self::Throughput),
            "throughput_sd" => return Ok(Self::Deviation),
            "throughput_cv" => return Ok(Self::Variation),
            "group_size" => return Ok(Self::GroupSize),
            "fdatasync" => return Ok(Self::Fdatasync),
            "cpu_busy" => return Ok(Self::CpuBusy),
            "cpu_commit" => return Ok(Self::CpuOfCommit),
            "nopm" => return Ok(Self::Nopm),
            "stalls" => return Ok(Self::Stalls),
            "stalled" => return Ok(Self::Stalled),
            _ => {}
        }
        let (time, point) = text.split_once('_').ok_or_else(unknown)?;
        if time == "throughput" {
            return point.parse().map(Self::Second).map_err(|_| unknown());
        }
        let point = point.parse().map_err(|_| unknown())?;
        match time.parse() {
            Ok(time) => Ok(Self::Requests(time, point)),
            Err(_) if time == "commit" => Ok(Self::Commits(point)),
            Err(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for Figure {
    /// Writes the figure as in plans.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Throughput => "throughput".to_owned(),
            Self::Deviation => "throughput_sd".to_owned(),
            Self::Variation => "throughput_cv".to_owned(),
            Self::Second(point) => format!("throughput_{point}"),
            Self::CommitWait(wait) => format!("wait.{wait}"),
            Self::CommitKind(kind) => format!("kind.{kind}"),
            Self::CpuOfCommit => "cpu_commit".to_owned(),
            Self::Fsyncs(class) => format!("fsyncs.{class}"),
            Self::Bytes(class) => format!("bytes.{class}"),
            Self::GroupSize => "group_size".to_owned(),
            Self::Fdatasync => "fdatasync".to_owned(),
            Self::CpuBusy => "cpu_busy".to_owned(),
            Self::Nopm => "nopm".to_owned(),
            Self::Requests(time, point) => format!("{time}_{point}"),
            Self::Commits(point) => format!("commit_{point}"),
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
    fn figures_survive_writing_and_reading() {
        for text in [
            "throughput",
            "throughput_sd",
            "throughput_cv",
            "throughput_p5",
            "throughput_p95",
            "wait.journal commit",
            "kind.other transactions",
            "cpu_commit",
            "fsyncs.binlog",
            "bytes.redo",
            "group_size",
            "fdatasync",
            "cpu_busy",
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
            "throughput_p50",
            "wait.lunch",
            "written.",
            "stage.",
            "queue_mean",
        ] {
            let error = text.parse::<Figure>().unwrap_err().to_string();
            assert!(error.contains("throughput"), "{error}");
        }
    }
}
