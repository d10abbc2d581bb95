//! Tables of the terminal's report as Markdown, for an issue or a wiki.

use logtrace_common::inert::markdown as escaped;
use logtrace_common::units;

use crate::document::Commits;
use crate::render::input::Input;
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::render::sections::{
    advice, answer, files, headline, holders, latency, rate_steps, request_types, response, stages,
    statements, tpcc, tree,
};
use crate::render::table::Table;

pub(crate) fn render(input: Input<'_>) -> String {
    let document = input.document;
    let mut paragraphs = vec![
        format!("# {}", escaped(&headline::title_line(document))),
        escaped(&headline::summary(document).join(" · ")),
    ];
    paragraphs.extend(headline::cpu(document).map(|parts| escaped(&parts.join(" · "))));
    let caveats = document.caveats.iter();
    let caveats =
        caveats.map(|caveat| format!("**{}**: {}", escaped(caveat.kind.as_ref()), escaped(&caveat.text)));
    paragraphs.extend(section("Caveats", list(caveats)));
    paragraphs.push(escaped(&answer::answer(document, input.over_time)));
    paragraphs.extend(latency::table(document).map(|table| table_text(&table)));
    if let Some(commits) = &document.commits {
        paragraphs.extend(commit_paragraphs(input, commits));
    }
    paragraphs.extend(table_section("Large transactions", holders::table(document)));
    paragraphs.extend(holders::without_names(document).map(escaped));
    paragraphs.extend(table_section(
        "Requests by step of the rate",
        rate_steps::table(document),
    ));
    paragraphs.extend(list(
        rate_steps::limit(document).iter().map(|limit| escaped(limit)),
    ));
    paragraphs.extend(table_section(
        "Commits by step of the rate",
        rate_steps::commits(document),
    ));
    paragraphs.extend(table_section("Requests by kind", request_types::table(document)));
    paragraphs.extend(list(escaped_each(tpcc::sentences(document))));
    let absent = response::absent(document).map(|absent| escaped(&absent));
    let response = response::table(document).map(|table| table_text(&table));
    paragraphs.extend(section("Response", response.or(absent)));
    paragraphs.extend(table_section("Statements by stage", stages::stages(document)));
    paragraphs.extend(list(stages::note(document).iter().map(|note| escaped(note))));
    paragraphs.extend(table_section("Waits before commits", stages::waits(document)));
    paragraphs.extend(list(escaped_each(advice::next(document))));
    let statements = statements::table(document);
    paragraphs.extend(table_section("Statements outside of commits", statements));
    paragraphs.extend(table_section("System calls on files", files::by_class(document)));
    paragraphs.extend(table_section("Flushes of devices", files::by_device(document)));
    let stacks = document.unclassified.iter();
    let stacks = stacks.map(|row| {
        format!(
            "{}: {}",
            units::duration(row.total_ns),
            escaped(&row.frames.join("; "))
        )
    });
    paragraphs.extend(section("Unclassified kernel stacks", list(stacks)));
    paragraphs.join("\n\n") + "\n"
}

/// Returns the commit time as a tree and by kind, what to change, and with `all` a row for each cause.
fn commit_paragraphs(input: Input<'_>, commits: &Commits) -> Vec<String> {
    let Input { document, all, .. } = input;
    let mut paragraphs = vec![
        "## Commits".to_owned(),
        escaped(&headline::commits(document, commits)),
    ];
    if commits.count > 0 {
        let lines = tree::text(&tree::lines(&tree::of_commits(document)));
        paragraphs.push(format!("```text\n{}\n```", lines.join("\n")));
        paragraphs.extend(tree::kinds(document).map(|kinds| escaped(&kinds)));
    }
    if let Some(section) = advice::section(document, input.over_time) {
        paragraphs.push(format!("{}:", escaped(&section.title)));
        paragraphs.extend(list(escaped_each(section.items)));
    }
    if commits.count > 0 && all {
        let rows = lines(document, commits, 0.0);
        let table = Table {
            header: vec!["file", "op", "wait", "who", "mean", "share", "in slowest 1 %"],
            words: 4,
            rows: rows.iter().map(|line| cause(line, commits)).collect(),
        };
        paragraphs.push(table_text(&table));
    }
    paragraphs.extend(headline::groups(document).map(|parts| escaped(&parts.join(" · "))));
    paragraphs
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
