//! One page with everything in it: no other file is needed to read it.

use std::collections::BTreeMap;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::causes::cause::Wait;
use crate::document::{CauseRow, Commits, Document, Workload};
use crate::render::error::RenderError;
use crate::render::flamegraph::flamegraph;
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::render::sections::{files, headline, latency, request_types, response, statements, tpcc, tracer};
use crate::render::table::Table;
use crate::render::{advice, palette, sparkline};
use crate::totals::by_stack::{StackTotals, Whole};
use crate::units;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    document: &'a Document,
    title: String,
    circumstances: String,
    summary: Vec<String>,
    latency: Option<Table>,
    kinds: Option<Table>,
    sentences: Vec<String>,
    response: Option<Table>,
    commits: Option<CommitSection>,
    statements: Option<Table>,
    files: Option<Table>,
    devices: Option<Table>,
    account: Vec<(&'static str, String)>,
    probes: Option<Table>,
    stacks: Vec<(String, String)>,
    settings: Vec<(String, String)>,
    /// Drawings as `data:` addresses.
    commit_drawing: Option<String>,
    response_drawing: Option<String>,
    statement_drawing: Option<String>,
}

/// Where the commits' time went.
struct CommitSection {
    headline: String,
    /// All commits, and the slowest.
    bars: Vec<StackedBar>,
    rows: Vec<CauseCells>,
    /// What the server stated of its groups.
    groups: Option<String>,
    advice: Vec<String>,
    /// Points of the curve of commits per second, empty where there is none.
    sparkline: String,
    /// Its width and height.
    sparkline_size: String,
    /// What it says, in words.
    per_second: String,
}

/// The waits of a group of commits side by side.
struct StackedBar {
    name: String,
    segments: Vec<Segment>,
}

struct Segment {
    wait: Wait,
    color: String,
    /// Width in percent.
    percent: f64,
    text: String,
}

/// One row of the table of causes.
struct CauseCells {
    color: Option<String>,
    /// Width of the bar in percent of the largest cause.
    bar: f64,
    words: [String; 4],
    numbers: [String; 4],
}

/// The page.
pub(crate) fn render(document: &Document, stacks: &StackTotals) -> Result<String, RenderError> {
    let unclassified = document.unclassified.iter();
    let page = Page {
        document,
        title: headline::subject(document),
        circumstances: headline::circumstances(document).join(" · "),
        summary: headline::summary(document),
        latency: latency::table(document),
        kinds: request_types::table(document),
        sentences: tpcc::sentences(document),
        response: response::table(document),
        commits: document
            .commits
            .as_ref()
            .map(|commits| section(document, commits)),
        statements: statements::table(document),
        files: files::by_path(document),
        devices: files::by_device(document),
        account: document.tracer.as_ref().map(tracer::account).unwrap_or_default(),
        probes: tracer::probes(document),
        stacks: unclassified
            .map(|row| (units::duration(row.total_ns), row.frames.join("\n")))
            .collect(),
        settings: settings(document),
        commit_drawing: drawing(document, stacks, Whole::Commit)?,
        response_drawing: drawing(document, stacks, Whole::Response)?,
        statement_drawing: drawing(document, stacks, Whole::Statement)?,
    };
    Ok(page.render()? + "\n")
}

/// A flame graph as a `data:` address; none where there is nothing to draw.
fn drawing(document: &Document, stacks: &StackTotals, whole: Whole) -> Result<Option<String>, RenderError> {
    match flamegraph(document, stacks, whole) {
        Ok(svg) => Ok(Some(format!("data:image/svg+xml;base64,{}", BASE64.encode(svg)))),
        Err(RenderError::NoStacks) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The server's program, the workload's parameters, and the server's variables.
fn settings(document: &Document) -> Vec<(String, String)> {
    let program = ("server", document.server.binary.clone());
    let load = document.workload.iter().flat_map(load);
    let named = [program].into_iter().chain(load).chain(tpcc::settings(document));
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
    let lines = lines(document, commits, 0.0);
    let causes = || lines.iter().filter(|line| line.subject != Subject::All);
    let longest = causes().map(|line| line.total).max().unwrap_or(0);
    let highest = commits.per_second.iter().copied().max().unwrap_or(0);
    let lowest = commits.per_second.iter().copied().min().unwrap_or(0);
    let rows = lines.iter().filter(|_| commits.count > 0);
    CommitSection {
        headline: headline::commits(document, commits),
        bars: bars(document, commits),
        rows: rows.map(|line| cells(line, commits, longest)).collect(),
        groups: headline::groups(document).map(|parts| parts.join(" · ")),
        advice: advice::next(document, commits),
        // Of bursts alone it would be a comb.
        sparkline: if commits.count > 0 && document.gaps().is_none() {
            sparkline::area(&commits.per_second)
        } else {
            String::new()
        },
        sparkline_size: format!("{} {}", sparkline::WIDTH, sparkline::HEIGHT),
        per_second: format!(
            "lowest {}, highest {} in {} s",
            units::count(lowest),
            units::count(highest),
            commits.per_second.len()
        ),
    }
}

fn bars(document: &Document, commits: &Commits) -> Vec<StackedBar> {
    let all = bar("all", commits.count, commits.total, &document.causes, |row| {
        row.total
    });
    let slowest = bar(
        "slowest 1 %",
        commits.slowest_count,
        commits.slowest_total,
        &document.causes,
        |row| row.slowest,
    );
    all.into_iter().chain(slowest).collect()
}

/// The bar of a group of `count` commits that took `total` together; `None` when there are none.
fn bar(
    name: &str,
    count: u64,
    total: u64,
    causes: &[CauseRow],
    part: fn(&CauseRow) -> u64,
) -> Option<StackedBar> {
    let mean = units::duration(units::mean(total, count)?);
    Some(StackedBar {
        name: format!("{name}: {} commits, mean {mean}", units::count(count)),
        segments: segments(causes, total, part),
    })
}

/// One segment for each wait, in the order of [`Wait`].
fn segments(causes: &[CauseRow], whole: u64, part: fn(&CauseRow) -> u64) -> Vec<Segment> {
    let mut waits = BTreeMap::<Wait, u64>::new();
    for row in causes {
        let time = waits.entry(row.cause.wait).or_default();
        *time = time.saturating_add(part(row));
    }
    let waits = waits.into_iter().filter(|(_, time)| *time > 0);
    waits
        .map(|(wait, time)| Segment {
            wait,
            color: palette::hex(wait),
            percent: 100.0 * units::share(time, whole).unwrap_or(0.0),
            text: units::percent(time, whole),
        })
        .collect()
}

fn cells(line: &CauseLine, commits: &Commits, longest: u64) -> CauseCells {
    let (wait, delayed) = match line.subject {
        Subject::Cause(row) => (Some(row.cause.wait), units::percent(row.commits, commits.count)),
        Subject::Unexplained => (Some(Wait::Unexplained), String::new()),
        Subject::Smaller(_) | Subject::All => (None, String::new()),
    };
    let mean = units::mean(line.total, commits.count).unwrap_or(0);
    CauseCells {
        color: wait.map(palette::hex),
        bar: 100.0 * units::share(line.total, longest).unwrap_or(0.0),
        words: line.subject.cells(),
        numbers: [
            units::duration(mean),
            units::percent(line.total, commits.total),
            units::percent(line.slowest, commits.slowest_total),
            delayed,
        ],
    }
}
