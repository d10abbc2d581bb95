//! Result of a measurement.

use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, Wait, WaitKind};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{Document, Driver, PrimaryFigure, Work};
use logtrace_statistics::{error_of_mean, mean, variance};
use strum::IntoEnumIterator;

use crate::results::conditions::conditions;
use crate::results::figure::{Figure, Point, RequestTime, SecondPoint};
use crate::results::stalls::{Stall, stalls};
use crate::results::throughput_curve::ThroughputCurve;
use crate::results::window_series::WindowSeries;

/// Figures of a measurement, with causes and stalls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasurementResult {
    /// Figures.
    pub figures: BTreeMap<Figure, f64>,
    /// Causes of the waiting time of the server's commits, and of statements outside of them where these were traced; the
    /// largest first.
    pub causes: Vec<CauseTotal>,
    /// Number of these commits, or of the statements where hardly anything commits.
    pub events: u64,
    /// Causes of the waiting time of the server's commits alone, the largest first.
    pub commit_causes: Vec<CauseTotal>,
    /// Number of commits.
    pub commits: u64,
    /// Causes of the time of the server's statements outside of commits where these were traced, the largest first.
    pub outside_causes: Vec<CauseTotal>,
    /// Number of these statements.
    pub statements: u64,
    /// Requests in each second of the window.
    pub per_second: Vec<f64>,
    /// Standard error of the throughput inside the window, divided by the throughput. It accounts for autocorrelation.
    /// `None` if the window is too short.
    pub error: Option<f64>,
    /// Stalls, in the order of time.
    pub stalls: Vec<Stall>,
    /// Throughput over time.
    pub curve: ThroughputCurve,
    /// Share of the requests' time inside bursts of tracing, if it is less than half: then causes stand for the shorter
    /// requests only.
    pub seen_hardly: Option<f64>,
    /// Conditions of the measurement, each with its value.
    pub conditions: Vec<(String, String)>,
    /// Whether the run was degraded. Tables include such a run and say so.
    pub degraded: bool,
}

/// Time that is charged to a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseTotal {
    /// Cause, with the thread that did the work.
    pub cause: Cause,
    /// Nanoseconds.
    pub total: u64,
}

impl MeasurementResult {
    /// Reads the result from the document of a run, and from the stages of statements: their names and mean nanoseconds per
    /// statement.
    pub fn new(document: &Document, stages: &[(String, f64)], degraded: bool) -> Self {
        let series = WindowSeries::new(document);
        let stalls = stalls(&series);
        let mut figures = BTreeMap::new();
        if let Some(driver) = &document.driver {
            requests(&mut figures, driver);
        }
        figures.extend(document.tpcc.as_ref().map(|tpcc| (Figure::Nopm, tpcc.nopm)));
        traced(&mut figures, document);
        primary(&mut figures, document);
        let seconds = series.per_second();
        variations(&mut figures, &seconds);
        if !series.slices.is_empty() {
            figures.insert(Figure::Stalls, stalls.len() as f64);
            let stalled: u64 = stalls.iter().map(|stall| stall.length_ns).sum();
            figures.insert(Figure::Stalled, stalled as f64);
        }
        let stages = stages.iter();
        figures.extend(stages.map(|(name, time)| (Figure::Stage(name.clone()), *time)));
        let done = series.done();
        let commits = document.causes.iter().map(|row| (row.cause, row.total));
        let statements = document.statements.as_ref();
        let outside = statements.iter().flat_map(|statements| &statements.causes);
        let outside = outside.map(|row| (row.cause, row.total));
        Self {
            figures,
            causes: causes(commits.clone().chain(outside.clone())),
            events: events(document),
            commit_causes: causes(commits),
            commits: document.commits.as_ref().map_or(0, |commits| commits.count),
            outside_causes: causes(outside),
            statements: statements.map_or(0, |statements| statements.count),
            per_second: seconds,
            error: error_of_mean(&done).and_then(|error| ratio(error, mean(&done)?)),
            curve: ThroughputCurve::new(&series),
            stalls,
            seen_hardly: document.seen_hardly(),
            conditions: conditions(document),
            degraded,
        }
    }

    /// Returns the standard error of a figure inside the window, where it is known.
    pub fn error_of(&self, figure: &Figure) -> Option<f64> {
        let value = self.figures.get(figure)?;
        let follows = matches!(figure, Figure::Throughput | Figure::Nopm);
        self.error.filter(|_| follows).map(|error| error * value)
    }
}

/// Returns the name of a cause in tables, such as `binlog fsync, journal commit`.
pub(crate) fn cause_name(io: Option<(FileClass, IoOp)>, wait: Wait) -> String {
    match io {
        Some((class, op)) => format!("{class} {op}, {wait}"),
        None => wait.to_string(),
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Adds the figures that comparisons of runs test for themselves, with the values that these have.
fn primary(figures: &mut BTreeMap<Figure, f64>, document: &Document) {
    let mut add = |figure, primary| {
        figures.extend(document.primary(primary).map(|value| (figure, value)));
    };
    add(Figure::Throughput, PrimaryFigure::Requests);
    let response = |point| Figure::Requests(RequestTime::Response, point);
    add(response(Point::Mean), PrimaryFigure::ResponseMean);
    add(response(Point::P99), PrimaryFigure::ResponseP99);
    if document.tracer.is_some() {
        add(Figure::CpuOfCommit, PrimaryFigure::ServerCpu(Work::Commit));
        add(Figure::Commits(Point::Mean), PrimaryFigure::CommitMean);
        add(Figure::Commits(Point::P99), PrimaryFigure::CommitP99);
    }
}

fn requests(figures: &mut BTreeMap<Figure, f64>, driver: &Driver) {
    let spans = [
        (RequestTime::Lag, &driver.lag),
        (RequestTime::Service, &driver.service),
        (RequestTime::Response, &driver.response),
    ];
    for (span, distribution) in spans.into_iter().filter(|span| span.1.count > 0) {
        for point in Point::iter() {
            figures.insert(Figure::Requests(span, point), point.of(distribution) as f64);
        }
    }
}

fn traced(figures: &mut BTreeMap<Figure, f64>, document: &Document) {
    if document.tracer.is_none() {
        return;
    }
    if let Some(commits) = document.commits.as_ref().filter(|commits| commits.count > 0) {
        for point in Point::iter() {
            figures.insert(Figure::Commits(point), point.of(&commits.distribution) as f64);
        }
        parts_of_commits(figures, document, commits.count as f64);
    }
    let window = document.workload.as_ref().map(|workload| workload.duration_s);
    let traced = document.gaps().map(|gaps| gaps.traced as f64 / 1e9).or(window);
    for class in FileClass::iter() {
        let files = document.files().iter();
        let written = files.filter(|file| file.class == class && file.op == IoOp::Write);
        let bytes: u64 = written.map(|file| file.bytes).sum();
        let rate = traced.and_then(|seconds| ratio(bytes as f64, seconds));
        figures.extend(rate.map(|rate| (Figure::Written(class), rate)));
    }
}

/// Adds how evenly the seconds of a window were worked.
fn variations(figures: &mut BTreeMap<Figure, f64>, seconds: &[f64]) {
    let (Some(variance), Some(mean)) = (variance(seconds), mean(seconds)) else {
        return;
    };
    figures.insert(Figure::Deviation, variance.sqrt());
    figures.extend(ratio(variance.sqrt(), mean).map(|variation| (Figure::Variation, variation)));
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    for (point, share) in [(SecondPoint::P5, 0.05), (SecondPoint::P95, 0.95)] {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        let second = sorted.get(rank.saturating_sub(1)).copied();
        figures.extend(second.map(|second| (Figure::Second(point), second)));
    }
}

/// Adds what a commit waited for by file and by wait, and its share in syncs, bytes and groups.
fn parts_of_commits(figures: &mut BTreeMap<Figure, f64>, document: &Document, commits: f64) {
    let time_of = |is_part: &dyn Fn(Cause) -> bool| {
        let rows = document.causes.iter().filter(|row| is_part(row.cause));
        rows.map(|row| row.total).sum::<u64>() as f64 / commits
    };
    for class in FileClass::iter() {
        let is_of_class = |cause: Cause| cause.io.is_some_and(|(file, _)| file == class);
        figures.insert(Figure::CommitPart(class), time_of(&is_of_class));
        let files = document.files().iter().filter(|file| file.class == class);
        let (mut syncs, mut bytes) = (0, 0);
        for file in files {
            match file.op {
                IoOp::Fsync => syncs += file.count,
                IoOp::Write => bytes += file.bytes,
                IoOp::Read => {}
            }
        }
        figures.insert(Figure::Fsyncs(class), syncs as f64 / commits);
        figures.insert(Figure::Bytes(class), bytes as f64 / commits);
    }
    for wait in Wait::iter() {
        figures.insert(Figure::CommitWait(wait), time_of(&|cause| cause.wait == wait));
    }
    for kind in WaitKind::iter() {
        figures.insert(
            Figure::CommitKind(kind),
            time_of(&|cause| cause.wait.kind() == kind),
        );
    }
    let groups = document.groups.as_ref().filter(|groups| groups.count > 0);
    figures.extend(groups.map(|groups| (Figure::GroupSize, groups.members as f64 / groups.count as f64)));
}

/// Returns the number of events that causes are divided by. A log that is written to a table commits now and then only; then
/// its statements are the events.
fn events(document: &Document) -> u64 {
    const STATEMENTS_A_COMMIT: u64 = 100;
    let commits = document.commits.as_ref().map_or(0, |commits| commits.count);
    let statements = document.statements.as_ref();
    let statements = statements.map_or(0, |statements| statements.count);
    match commits.saturating_mul(STATEMENTS_A_COMMIT) < statements {
        true => statements,
        false => commits,
    }
}

/// Adds up the rows of each cause, and sorts the causes, the largest first.
fn causes(rows: impl Iterator<Item = (Cause, u64)>) -> Vec<CauseTotal> {
    let mut totals: BTreeMap<Cause, u64> = BTreeMap::new();
    for (cause, total) in rows {
        *totals.entry(cause).or_default() += total;
    }
    let totals = totals.into_iter();
    let totals = totals.map(|(cause, total)| CauseTotal { cause, total });
    let mut causes: Vec<CauseTotal> = totals.filter(|cause| cause.total > 0).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.total));
    causes
}
