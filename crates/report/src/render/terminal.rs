//! Report for a person at a terminal: aligned text, at most 100 columns wide, and 80 in sentences and the tree.

use logtrace_common::{inert, units};

use crate::document::{Commits, Document};
use crate::render::input::Input;
use crate::render::layout::{aligned, label};
use crate::render::sections::causes::{CauseLine, Subject, lines};
use crate::render::sections::{
    advice, answer, files, headline, holders, latency, rate_steps, request_types, response, stages,
    statements, tpcc, tree,
};
use crate::render::style::{BAR, BOLD, FAINT, Paint, WARNING};
use crate::render::table::Table;
use crate::render::wrapping;

/// Columns of the report.
const WIDTH: usize = 100;
/// Columns of the longest bar.
const LONGEST_BAR: usize = 16;
/// Number of unclassified stacks in the report; the others are in `run.json`.
const STACKS: usize = 5;

pub(crate) fn render(input: Input<'_>) -> String {
    let Input { document, all, .. } = input;
    let paint = Paint { color: input.color };
    let table = |table: Option<Table>| table.map(|table| table_text(&table, paint));
    let titled = |title: &str, body: Option<Table>| {
        let title = paint.paint(BOLD, title) + "\n";
        table(body).map(|body| title + &body)
    };
    let sentences: Vec<String> = tpcc::sentences(document).iter().flat_map(item).collect();
    let limit: Vec<String> = rate_steps::limit(document).iter().flat_map(item).collect();
    let commits = document.commits.as_ref();
    let sections = [
        Some(head(document, paint)),
        caveats(document, paint),
        Some(text(&wrapped(&answer::answer(document, input.over_time)))),
        table(latency::table(document)),
        commits.map(|commits| tree_block(document, commits, paint)),
        advice::section(document, input.over_time).map(|section| {
            let title = paint.paint(BOLD, &section.title);
            let items = section.items.iter().flat_map(sentence);
            text(&[title].into_iter().chain(items).collect::<Vec<_>>())
        }),
        titled(holders::TITLE, holders::table(document)).map(|table| {
            let missing = holders::without_names(document);
            table + &text(&missing.iter().flat_map(item).collect::<Vec<_>>())
        }),
        titled("requests by step of the rate", rate_steps::table(document))
            .map(|table| table + &text(&limit)),
        titled("commits by step of the rate", rate_steps::commits(document)),
        table(request_types::table(document)).map(|kinds| kinds + &text(&sentences)),
        table(response::table(document))
            .or_else(|| response::absent(document).map(|absent| text(&item(absent)))),
        stages_block(document, paint),
        commits
            .filter(|_| all)
            .and_then(|commits| all_causes(document, commits, paint)),
        headline::groups(document).map(|parts| text(&in_lines(&parts))),
        statements::title(document).and_then(|title| titled(&title, statements::table(document))),
        titled(
            "system calls on files, by whatever thread",
            files::by_class(document),
        ),
        titled(
            "flushes of devices' caches, for whatever thread",
            files::by_device(document),
        ),
        unclassified(document, paint),
        Some(next(document, paint)),
    ];
    inert::terminal(&sections.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

fn head(document: &Document, paint: Paint) -> String {
    let title = in_lines(&headline::title(document));
    let title = title.iter().map(|line| paint.paint(BOLD, line));
    let lines: Vec<String> = title
        .chain(in_lines(&headline::summary(document)))
        .chain(headline::cpu(document).iter().flat_map(|parts| in_lines(parts)))
        .collect();
    text(&lines)
}

/// Joins the parts with ` · `, on as many lines as they need.
fn in_lines(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().map(|part| inert::line(part)) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + part.chars().count() <= WIDTH => {
                line.push_str(" · ");
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

fn caveats(document: &Document, paint: Paint) -> Option<String> {
    let caveats = &document.caveats;
    (!caveats.is_empty()).then(|| {
        let mut lines = vec![paint.paint(WARNING, "CAVEATS")];
        lines.extend(
            caveats
                .iter()
                .flat_map(|caveat| item(format!("{}: {}", caveat.kind, caveat.text))),
        );
        text(&lines)
    })
}

/// Returns the commit time as a tree, and by kind.
fn tree_block(document: &Document, commits: &Commits, paint: Paint) -> String {
    let title = wrapped(&headline::commits(document, commits)).into_iter();
    let title = title.map(|line| paint.paint(BOLD, &line));
    let lines = tree::text(&tree::lines(&tree::of_commits(document)));
    let kinds = tree::kinds(document)
        .iter()
        .flat_map(|kinds| wrapped(kinds))
        .collect::<Vec<_>>();
    text(&title.chain(lines).chain(kinds).collect::<Vec<_>>())
}

/// Returns the statements by stage and their long waits before commits.
fn stages_block(document: &Document, paint: Paint) -> Option<String> {
    let tables = [stages::stages(document), stages::waits(document)];
    let tables: Vec<String> = tables
        .iter()
        .flatten()
        .map(|table| table_text(table, paint))
        .collect();
    let title = stages::title(document).filter(|_| !tables.is_empty());
    let title = title.map(|title| paint.paint(BOLD, &title) + "\n");
    let note = stages::note(document).map(|note| text(&item(note)));
    (title.is_some() || note.is_some())
        .then(|| title.unwrap_or_default() + &tables.concat() + &note.unwrap_or_default())
}

fn all_causes(document: &Document, commits: &Commits, paint: Paint) -> Option<String> {
    let rows = lines(document, commits, 0.0);
    (commits.count > 0).then(|| text(&cause_lines(&rows, commits, paint)))
}

/// Wraps a paragraph of the first lines.
fn wrapped(text: &str) -> Vec<String> {
    wrapping::wrapped(text, tree::WIDTH)
}

fn cause_lines(lines: &[CauseLine], commits: &Commits, paint: Paint) -> Vec<String> {
    let cells: Vec<[String; 4]> = lines.iter().map(|line| line.subject.cells()).collect();
    let rows = lines
        .iter()
        .zip(label(&cells))
        .map(|(line, label)| [vec![label], line.numbers(commits).into()].concat());
    let table = Table {
        header: vec!["", "mean", "share", "in slowest 1 %"],
        words: 1,
        rows: rows.collect(),
    };
    let longest = lines.iter().filter(|line| line.subject.is_part());
    let longest = longest.map(|line| line.total).max().unwrap_or(0);
    let mut drawn = aligned(&table).into_iter();
    let header = drawn.next().map(|header| paint.paint(FAINT, &header));
    let body = drawn.zip(lines).map(|(row, line)| match line.subject {
        Subject::All => paint.paint(BOLD, &row),
        Subject::LastResort => row,
        _ => format!("{row}  {}", paint.paint(BAR, &bar(line.total, longest))),
    });
    header.into_iter().chain(body).collect()
}

/// Returns a bar in eighths of a column.
fn bar(part: u64, longest: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let columns = LONGEST_BAR * 8;
    let eighths = (u128::from(part) * columns as u128).checked_div(u128::from(longest));
    let eighths = usize::try_from(eighths.unwrap_or(0)).unwrap_or(columns);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

fn unclassified(document: &Document, paint: Paint) -> Option<String> {
    let stacks = &document.unclassified;
    (!stacks.is_empty()).then(|| {
        let mut lines = vec![paint.paint(WARNING, "unclassified kernel stacks, innermost frame first")];
        for stack in stacks.iter().take(STACKS) {
            let frames: Vec<&str> = stack.frames.iter().rev().map(String::as_str).collect();
            let time = units::duration(stack.total_ns);
            lines.extend(item(format!("{time}: {}", frames.join(" < "))));
        }
        if stacks.len() > STACKS {
            lines.push(format!("- {} more in run.json", stacks.len() - STACKS));
        }
        text(&lines)
    })
}

fn next(document: &Document, paint: Paint) -> String {
    let mut lines = vec![paint.paint(BOLD, "where to look next")];
    lines.extend(advice::next(document).iter().flat_map(sentence));
    let has_commits = document.commits.as_ref().map(|commits| commits.count > 0);
    lines.extend(sentence(match has_commits {
        Some(true) if document.response.is_some() => {
            "report.html has every cause, file and probe; flamegraph.svg every stack of the commits, response.svg also \
             the way from the client to them; run.json every number."
        }
        Some(true) => "report.html has every cause, file and probe; flamegraph.svg every stack; run.json every number.",
        Some(false) => "report.html has every file and probe; run.json every number.",
        None => "report.html and run.json have every number; without --no-trace the commits are explained too.",
    }));
    text(&lines)
}

/// Wraps an item of a list.
fn item(text: impl AsRef<str>) -> Vec<String> {
    item_of(WIDTH, text)
}

/// Wraps an item of a list for reading.
fn sentence(text: impl AsRef<str>) -> Vec<String> {
    item_of(tree::WIDTH, text)
}

fn item_of(width: usize, text: impl AsRef<str>) -> Vec<String> {
    let options = textwrap::Options::new(width)
        .initial_indent("- ")
        .subsequent_indent("  ");
    wrapping::wrapped(text.as_ref(), options)
}

fn table_text(table: &Table, paint: Paint) -> String {
    let mut lines = aligned(table);
    if let Some(header) = lines.first_mut() {
        *header = paint.paint(FAINT, header);
    }
    text(&lines)
}

/// Ends each line, without blanks before its end.
fn text(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        assert_eq!(bar(100, 100), "█".repeat(16));
        assert_eq!(bar(50, 100), "█".repeat(8));
        assert_eq!(bar(1, 128), "▏");
        assert_eq!(bar(0, 100), "");
        assert_eq!(bar(0, 0), "");
    }

    #[test]
    fn a_long_title_is_broken_between_its_parts() {
        let part = "x".repeat(60);
        assert_eq!(in_lines(&[part.clone(), part.clone()]), [part.clone(), part]);
        assert_eq!(in_lines(&["a".to_owned(), "b".to_owned()]), ["a · b"]);
    }
}
