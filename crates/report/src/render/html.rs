//! Page with all reports and drawings in it: no other file is needed to read it.

use std::borrow::Cow;
use std::time::Duration;

use askama::Template;
use logtrace_attribution::breakdown::{OverTime, StackTotals, Whole};
use logtrace_attribution::cause::Wait;
use logtrace_common::units;

use crate::document::{Commits, Document, Workload};
use crate::render::bars::{BarSegment, StackedBar, TreeBar, area_color, bar, kinds, tree_rows, wait_color};
use crate::render::drawing::{Drawing, drawing};
use crate::render::error::RenderError;
use crate::render::over_time::{Pictures, Responses, SCRIPT, coarser, pictures, pointed_values, responses};
use crate::render::page::{PageHead, enclosed, with_contents, with_options};
use crate::render::sections::advice::{self, AdviceSection};
use crate::render::sections::answer::{ShortAnswer, short_answer, stall_of_slowest};
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::render::sections::waited_for::WaitedForSection;
use crate::render::sections::{
    faster, files, headline, holders, latency, rate_steps, request_types, response, stages, statements,
    tiles, tpcc, tracer, tree, waited_for,
};

/// Limit on the bytes of a page: people send it to each other.
const MOST_BYTES: usize = 3_000_000;

/// Share of the commit time below which the short table of causes merges them: the table of all is beside it.
const SHORT: f64 = 0.02;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    head: String,
    document: &'a Document,
    answer: ShortAnswer,
    /// Selection with the commits of the stall of the slowest one, if commits can be selected.
    stall: Option<String>,
    /// Whether parts are left out, because the page would be too large.
    is_reduced: bool,
    commits: Option<CommitSection>,
    /// Changes that are advised.
    changes: Option<AdviceSection>,
    waited_for: Option<WaitedForSection>,
    /// Values of the pictures for the pointer, compressed, if there are pictures.
    pointed: Option<String>,
    pictures: Option<Pictures>,
    responses: Option<Responses>,
    /// Unclassified kernel stacks with their times.
    stacks: Vec<(String, String)>,
    /// `run.json`, compressed.
    run_json: &'a str,
    commit_drawing: Option<Drawing>,
    response_drawing: Option<Drawing>,
    statement_drawing: Option<Drawing>,
}

/// Causes of the commits.
struct CommitSection {
    headline: String,
    tree: Vec<TreeBar>,
    /// Commit time by kind of wait.
    kinds: Vec<BarSegment>,
    bars: Vec<StackedBar>,
    /// Causes, the small ones as one row.
    rows: Vec<CauseCells>,
    /// All causes, if there are small ones.
    all_rows: Vec<CauseCells>,
    groups: Option<String>,
}

/// Row of the table of causes.
struct CauseCells {
    color: Option<String>,
    /// Width of the bar in percent of the largest cause.
    bar: f64,
    words: [String; 4],
    numbers: [String; 4],
}

/// Parts of a page that may be left out, because it would be too large.
struct PageParts<'a> {
    over_time: Option<Cow<'a, OverTime>>,
    /// `run.json`, compressed.
    run_json: String,
    /// Flame graphs, the most important one first.
    drawings: &'static [Whole],
    /// Whether something was left out.
    is_reduced: bool,
}

impl PageParts<'_> {
    /// Leaves a part out, if there is one left: numbers over time become coarser first, as the files beside the page have all.
    fn reduce(&mut self) -> bool {
        self.is_reduced = true;
        if let Some(less) = self.over_time.as_deref().and_then(coarser) {
            self.over_time = Some(Cow::Owned(less));
            return true;
        }
        match self.drawings {
            [first @ .., _] => {
                self.drawings = first;
                true
            }
            [] => false,
        }
    }
}

/// Renders a page of at most [`MOST_BYTES`], but for the tables of `run.json`.
pub(crate) fn render(
    document: &Document,
    stacks: &StackTotals,
    over_time: Option<&OverTime>,
) -> Result<String, RenderError> {
    let mut parts = PageParts {
        over_time: over_time.map(Cow::Borrowed),
        run_json: enclosed(document)?,
        drawings: &[Whole::Commit, Whole::Response, Whole::Statement],
        is_reduced: false,
    };
    loop {
        let page = page(document, stacks, &parts)?;
        if page.len() <= MOST_BYTES || !parts.reduce() {
            return Ok(page);
        }
    }
}

fn page(document: &Document, stacks: &StackTotals, parts: &PageParts<'_>) -> Result<String, RenderError> {
    let over_time = parts.over_time.as_deref();
    let commits = document.commits.as_ref();
    let unclassified = document.unclassified.iter();
    let drawing = |whole| match parts.drawings.contains(&whole) {
        true => drawing(document, stacks, whole),
        false => Ok(None),
    };
    let commit_drawing = drawing(Whole::Commit)?;
    let response_drawing = drawing(Whole::Response)?;
    let statement_drawing = drawing(Whole::Statement)?;
    let drawings = [&commit_drawing, &response_drawing, &statement_drawing].into_iter();
    let shown: Vec<&str> = drawings.flatten().map(|drawing| drawing.svg.as_str()).collect();
    let pictures = match (over_time, commits) {
        (Some(over_time), Some(commits)) => {
            pictures(document, over_time, window_ns(document), commits.distribution.max)?
        }
        _ => None,
    };
    let head = PageHead {
        title: &headline::subject(document),
        styles: &[],
        scripts: &[SCRIPT],
        drawings: &shown,
    };
    let responses = match over_time {
        Some(over_time) => responses(document, over_time, window_ns(document))?,
        None => None,
    };
    let page = Page {
        head: head.html()?,
        document,
        answer: short_answer(document, over_time),
        stall: over_time
            .filter(|_| pictures.is_some())
            .and_then(|over_time| stall_of_slowest(document, over_time))
            .map(|(from, to)| format!("t={}-{}", from as f64 / 1e9, to as f64 / 1e9)),
        is_reduced: parts.is_reduced,
        commits: commits.map(|commits| section(document, commits)),
        changes: advice::section(document, over_time),
        waited_for: over_time.and_then(|over_time| waited_for::section(document, over_time)),
        pointed: pointed_values(pictures.as_ref(), responses.as_ref(), over_time)?,
        pictures,
        responses,
        stacks: unclassified
            .map(|row| (units::duration(row.total_ns), row.frames.join("\n")))
            .collect(),
        run_json: &parts.run_json,
        commit_drawing,
        response_drawing,
        statement_drawing,
    };
    Ok(with_contents(&page.render()?) + "\n")
}

/// Returns the length of the measured window.
fn window_ns(document: &Document) -> u64 {
    let length = document
        .window_s()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    length.map_or(0, |length| u64::try_from(length.as_nanos()).unwrap_or(0))
}

/// Returns the server's program, the workload's parameters, and the server's variables.
fn settings(document: &Document) -> Vec<(String, String)> {
    let program = document.server.binary.clone().map(|program| ("server", program));
    let load = document.workload.iter().flat_map(load);
    let named = program.into_iter().chain(load).chain(tpcc::settings(document));
    let named = named.map(|(name, value)| (name.to_owned(), value));
    named.chain(document.server.settings.clone()).collect()
}

fn load(workload: &Workload) -> [(&'static str, String); 4] {
    let size = match workload.rows {
        Some(rows) => (
            "tables × rows",
            format!("{} × {}", workload.tables, units::count(rows)),
        ),
        None => ("tables", workload.tables.to_string()),
    };
    [
        ("seed", workload.seed.to_string()),
        size,
        ("keys", workload.keys.clone()),
        ("warm-up", units::seconds(workload.warmup_s)),
    ]
}

fn section(document: &Document, commits: &Commits) -> CommitSection {
    let few = rows(document, commits, SHORT);
    let all = rows(document, commits, 0.0);
    let slowest = (commits.slowest_count, commits.slowest_total);
    let bars = [
        bar("all", commits.count, commits.total, document, |row| row.total),
        bar("slowest 1 %", slowest.0, slowest.1, document, |row| row.slowest),
    ];
    CommitSection {
        headline: headline::commits(document, commits),
        tree: tree_rows(&tree::of_commits(document)),
        kinds: kinds(document),
        bars: bars.into_iter().flatten().collect(),
        all_rows: if all.len() > few.len() { all } else { Vec::new() },
        rows: few,
        groups: headline::groups(document).map(|parts| parts.join(" · ")),
    }
}

/// Returns the rows of the table of causes. Causes below the share `small` become one.
fn rows(document: &Document, commits: &Commits, small: f64) -> Vec<CauseCells> {
    let lines = lines(document, commits, small);
    let causes = lines.iter().filter(|line| line.subject.is_part());
    let longest = causes.map(|line| line.total).max().unwrap_or(0);
    let rows = lines.iter().filter(|_| commits.count > 0);
    rows.map(|line| cells(line, commits, longest)).collect()
}

fn cells(line: &CauseLine, commits: &Commits, longest: u64) -> CauseCells {
    let (wait, delayed) = match line.subject {
        Subject::Cause(row) => (Some(row.cause.wait), units::percent(row.commits, commits.count)),
        Subject::Unexplained => (Some(Wait::Unexplained), String::new()),
        Subject::Smaller(_) | Subject::All | Subject::LastResort => (None, String::new()),
    };
    CauseCells {
        color: wait.map(wait_color),
        bar: 100.0 * units::share(line.total, longest).unwrap_or(0.0),
        words: line.subject.cells(),
        numbers: [
            units::duration(units::mean(line.total, commits.count).unwrap_or(0)),
            units::percent(line.total, commits.total),
            units::percent(line.slowest, commits.slowest_total),
            delayed,
        ],
    }
}
