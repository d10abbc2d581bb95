//! What a turn came to.

use std::collections::BTreeMap;
use strum::IntoEnumIterator;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::cause::Wait;
use logtrace_report::document::{Document, Driver};

use crate::results::figure::{Figure, Point, Span};
use crate::results::stalls::{Stall, stalls};
use crate::results::window_series::Course;
use crate::stats::descriptive::{error_of_mean, mean, variance};

/// The figures of one turn, and what they came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Everything that can be tabulated.
    pub figures: BTreeMap<Figure, f64>,
    /// What the server's commits waited for, and its statements outside of them where these were traced: the largest first.
    pub causes: Vec<CauseTotal>,
    /// The commits that these are of; the statements where hardly anything commits.
    pub events: u64,
    /// What the server's commits alone waited for: the largest first.
    pub commit_causes: Vec<CauseTotal>,
    /// Those commits.
    pub commits: u64,
    /// Requests in each second of the window.
    pub per_second: Vec<f64>,
    /// Standard error of the throughput inside the window, as a part of it; heeds that what follows on one another is
    /// alike. `None` where the window is too short to tell.
    pub error: Option<f64>,
    /// Stalls, in the order of time.
    pub stalls: Vec<Stall>,
    /// The part of the requests' time that was within bursts of the tracer's, where that is less than half: causes are of
    /// the short ones.
    pub seen_hardly: Option<f64>,
    /// Whether the run was degraded: it counts, and tables say so.
    pub degraded: bool,
}

/// Time that is charged to one cause, whoever's work it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseTotal {
    /// The file and the operation on it, for time inside of a system call.
    pub io: Option<(FileClass, IoOp)>,
    /// What was waited for.
    pub wait: Wait,
    /// Nanoseconds.
    pub total: u64,
}

impl Measured {
    /// Out of the document of a run, and the stages of statements: a name and the nanoseconds of a statement in it, on
    /// average.
    pub fn new(document: &Document, stages: &[(String, f64)], degraded: bool) -> Self {
        let course = Course::new(document);
        let stalls = stalls(&course);
        let mut figures = BTreeMap::new();
        if let Some(driver) = &document.driver {
            requests(&mut figures, driver);
        }
        figures.extend(document.tpcc.as_ref().map(|tpcc| (Figure::Nopm, tpcc.nopm)));
        traced(&mut figures, document);
        let seconds = course.per_second();
        figures.extend(variance(&seconds).map(|variance| (Figure::Deviation, variance.sqrt())));
        if !course.parts.is_empty() {
            figures.insert(Figure::Stalls, stalls.len() as f64);
            let stalled: u64 = stalls.iter().map(|stall| stall.length_ns).sum();
            figures.insert(Figure::Stalled, stalled as f64);
        }
        let stages = stages.iter();
        figures.extend(stages.map(|(name, time)| (Figure::Stage(name.clone()), *time)));
        let done = course.done();
        let (commits, statements) = (of_commits(document), of_statements(document));
        Self {
            figures,
            causes: causes(commits.iter().chain(&statements)),
            events: events(document),
            commit_causes: causes(&commits),
            commits: document.commits.as_ref().map_or(0, |commits| commits.count),
            per_second: seconds,
            error: error_of_mean(&done).and_then(|error| ratio(error, mean(&done)?)),
            stalls,
            seen_hardly: document.seen_hardly(),
            degraded,
        }
    }

    /// Nanoseconds of all causes together.
    pub fn total(&self) -> u64 {
        self.causes.iter().map(|cause| cause.total).sum()
    }

    /// The standard error of a figure inside the window, where it is known.
    pub fn error_of(&self, figure: &Figure) -> Option<f64> {
        let value = self.figures.get(figure)?;
        let follows = matches!(figure, Figure::Throughput | Figure::Nopm);
        self.error.filter(|_| follows).map(|error| error * value)
    }
}

impl CauseTotal {
    /// As a table names it: `binlog fsync, journal commit`.
    pub fn name(&self) -> String {
        name(self.io, self.wait)
    }
}

pub(crate) fn name(io: Option<(FileClass, IoOp)>, wait: Wait) -> String {
    match io {
        Some((class, op)) => format!("{class} {op}, {wait}"),
        None => wait.to_string(),
    }
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

fn requests(figures: &mut BTreeMap<Figure, f64>, driver: &Driver) {
    figures.insert(Figure::Throughput, driver.achieved_per_s);
    let spans = [
        (Span::Lag, &driver.lag),
        (Span::Service, &driver.service),
        (Span::Response, &driver.response),
    ];
    for (span, distribution) in spans
        .into_iter()
        .filter(|(_, distribution)| distribution.count > 0)
    {
        for point in Point::ALL {
            figures.insert(Figure::Requests(span, point), point.of(distribution) as f64);
        }
    }
}

fn traced(figures: &mut BTreeMap<Figure, f64>, document: &Document) {
    if document.tracer.is_none() {
        return;
    }
    if let Some(commits) = document.commits.as_ref().filter(|commits| commits.count > 0) {
        for point in Point::ALL {
            figures.insert(Figure::Commits(point), point.of(&commits.distribution) as f64);
        }
        for class in FileClass::iter() {
            let causes = document
                .causes
                .iter()
                .filter(|cause| cause.cause.io.is_some_and(|(file, _)| file == class));
            let total: u64 = causes.map(|cause| cause.total).sum();
            figures.insert(Figure::CommitPart(class), total as f64 / commits.count as f64);
        }
    }
    let window = document.workload.as_ref().map(|workload| workload.duration_s);
    let traced = document.gaps().map(|gaps| gaps.traced as f64 / 1e9).or(window);
    for class in FileClass::iter() {
        let files = document.files.iter();
        let written = files.filter(|file| file.class == class && file.op == IoOp::Write);
        let bytes: u64 = written.map(|file| file.bytes).sum();
        let rate = traced.and_then(|seconds| ratio(bytes as f64, seconds));
        figures.extend(rate.map(|rate| (Figure::Written(class), rate)));
    }
}

/// What causes are of: a log that is written to a table commits now and then, and its statements are what is measured.
fn events(document: &Document) -> u64 {
    const STATEMENTS_A_COMMIT: u64 = 100;
    let commits = document.commits.as_ref().map_or(0, |commits| commits.count);
    let statements = document
        .statements
        .as_ref()
        .map_or(0, |statements| statements.count);
    match commits.saturating_mul(STATEMENTS_A_COMMIT) < statements {
        true => statements,
        false => commits,
    }
}

fn of_commits(document: &Document) -> Vec<CauseTotal> {
    let rows = document.causes.iter().map(|row| CauseTotal {
        io: row.cause.io,
        wait: row.cause.wait,
        total: row.total,
    });
    rows.collect()
}

fn of_statements(document: &Document) -> Vec<CauseTotal> {
    let statements = document.statements.iter();
    let rows = statements.flat_map(|statements| &statements.causes);
    let rows = rows.map(|row| CauseTotal {
        io: row.cause.io,
        wait: row.cause.wait,
        total: row.total,
    });
    rows.collect()
}

/// Whoever's work it was.
fn causes<'a>(rows: impl IntoIterator<Item = &'a CauseTotal>) -> Vec<CauseTotal> {
    let mut totals: BTreeMap<(Option<(FileClass, IoOp)>, Wait), u64> = BTreeMap::new();
    for row in rows {
        *totals.entry((row.io, row.wait)).or_default() += row.total;
    }
    let totals = totals
        .into_iter()
        .map(|((io, wait), total)| CauseTotal { io, wait, total });
    let mut causes: Vec<CauseTotal> = totals.filter(|cause| cause.total > 0).collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.total));
    causes
}
