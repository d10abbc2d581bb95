//! Tables of the terminal's report as Markdown, for an issue or a wiki.

use logtrace_common::inert::markdown as escaped;
use logtrace_common::units;

use crate::document::{Commits, Document};
use crate::render::advice;
use crate::render::sections::causes::{CauseLine, SMALL, Subject, lines};
use crate::render::sections::{
    files, headline, latency, rate_steps, request_types, response, statements, tpcc,
};
use crate::render::table::Table;

pub(crate) fn render(document: &Document) -> String {
    let mut blocks = vec![
        format!("# {}", escaped(&headline::title_line(document))),
        escaped(&headline::summary(document).join(" · ")),
    ];
    blocks.extend(headline::cpu(document).map(|parts| escaped(&parts.join(" · "))));
    let caveats = document.caveats.iter();
    let caveats = caveats.map(|caveat| format!("**{}**: {}", escaped(&caveat.kind), escaped(&caveat.text)));
    blocks.extend(section("Caveats", list(caveats)));
    blocks.extend(table_section("Latency", latency::table(document)));
    blocks.extend(table_section(
        "Requests by step of the rate",
        rate_steps::table(document),
    ));
    blocks.extend(list(
        rate_steps::limit(document).iter().map(|limit| escaped(limit)),
    ));
    blocks.extend(table_section(
        "Commits by step of the rate",
        rate_steps::commits(document),
    ));
    blocks.extend(table_section("Requests by kind", request_types::table(document)));
    blocks.extend(list(escaped_each(tpcc::sentences(document))));
    blocks.extend(table_section("Response", response::table(document)));
    if let Some(commits) = &document.commits {
        blocks.extend(commit_blocks(document, commits));
    }
    blocks.extend(list(escaped_each(advice::next(document))));
    let statements = statements::table(document);
    blocks.extend(table_section("Statements outside of commits", statements));
    blocks.extend(table_section("System calls on files", files::by_class(document)));
    blocks.extend(table_section("Flushes of devices", files::by_device(document)));
    let stacks = document.unclassified.iter();
    let stacks = stacks.map(|row| {
        format!(
            "{}: {}",
            units::duration(row.total_ns),
            escaped(&row.frames.join("; "))
        )
    });
    blocks.extend(section("Unclassified kernel stacks", list(stacks)));
    blocks.join("\n\n") + "\n"
}

fn commit_blocks(document: &Document, commits: &Commits) -> Vec<String> {
    let mut blocks = vec![
        "## Commits".to_owned(),
        escaped(&headline::commits(document, commits)),
    ];
    if commits.count > 0 {
        let rows = lines(document, commits, SMALL);
        let table = Table {
            header: vec!["file", "op", "wait", "who", "mean", "share", "in slowest 1 %"],
            words: 4,
            rows: rows.iter().map(|line| cause(line, commits)).collect(),
        };
        blocks.push(table_text(&table));
    }
    blocks.extend(headline::groups(document).map(|parts| escaped(&parts.join(" · "))));
    blocks
}

fn cause(line: &CauseLine, commits: &Commits) -> Vec<String> {
    let mut words = line.subject.cells();
    if !matches!(line.subject, Subject::Cause(_)) {
        words.swap(0, 2);
    }
    [words.as_slice(), &line.numbers(commits)].concat()
}

fn table_section(title: &str, table: Option<Table>) -> Vec<String> {
    section(title, table.map(|table| table_text(&table)))
}

fn section(title: &str, body: Option<String>) -> Vec<String> {
    body.map_or_else(Vec::new, |body| vec![format!("## {title}"), body])
}

fn list(items: impl Iterator<Item = String>) -> Option<String> {
    let items: Vec<String> = items.map(|item| format!("- {item}")).collect();
    (!items.is_empty()).then(|| items.join("\n"))
}

fn table_text(table: &Table) -> String {
    let rule = (0..table.header.len()).map(|column| if table.is_number(&column) { "---:" } else { "---" });
    let header = table.header.iter().map(|name| escaped(name));
    let rows = table
        .rows
        .iter()
        .map(|cells| row(cells.iter().map(|cell| escaped(cell))));
    let head = [row(header), row(rule.map(str::to_owned))];
    head.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |", cells.join(" | "))
}

fn escaped_each(texts: Vec<String>) -> impl Iterator<Item = String> {
    texts.into_iter().map(|text| escaped(&text))
}
