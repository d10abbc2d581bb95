//! The report that a person sees first: aligned text, at most 100 columns wide.

use crate::document::{Commits, Document, StackTotal};
use crate::render::advice;
use crate::render::layout::{aligned, label, lines_of};
use crate::render::sections::causes::{CauseLine, SMALL, Subject, lines};
use crate::render::sections::{files, headline, latency, request_types, response, statements, tpcc};
use crate::render::style::Paint;
use crate::render::table::Table;
use crate::units;

/// Columns of the report.
const WIDTH: usize = 100;
/// Columns of the longest bar.
const BAR: usize = 16;
/// Unclassified stacks that are shown; the others are in `run.json`.
const STACKS: usize = 5;

/// The whole report.
pub(crate) fn render(document: &Document, color: bool) -> String {
    let paint = Paint::new(color);
    let mut blocks = vec![head(document, paint)];
    blocks.extend(caveats(document, paint));
    blocks.extend(latency::table(document).map(|table| table_text(&table, paint)));
    blocks.extend(by_kind(document, paint));
    blocks.extend(response::table(document).map(|table| table_text(&table, paint)));
    if let Some(commits) = &document.commits {
        blocks.push(commit_block(document, commits, paint));
    }
    blocks.extend(headline::groups(document).map(|parts| text(&joined(&parts))));
    blocks.extend(statements_block(document, paint));
    blocks.extend(files_block(document, paint));
    blocks.extend(devices_block(document, paint));
    blocks.extend(unclassified(document, paint));
    blocks.push(next(document, paint));
    blocks.join("\n")
}

fn head(document: &Document, paint: Paint) -> String {
    let mut lines = joined(&headline::title(document));
    for line in &mut lines {
        *line = paint.bold(line);
    }
    lines.extend(joined(&headline::summary(document)));
    text(&lines)
}

/// The parts with ` · ` between them, on as many lines as they need.
fn joined(parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().map(|part| plain(part)) {
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
        let mut lines = vec![paint.warning("CAVEATS")];
        for caveat in caveats {
            lines.extend(item(&format!("{}: {}", caveat.kind, caveat.text)));
        }
        text(&lines)
    })
}

fn by_kind(document: &Document, paint: Paint) -> Option<String> {
    let table = request_types::table(document)?;
    let sentences = tpcc::sentences(document);
    let sentences: Vec<String> = sentences.iter().flat_map(|text| item(text)).collect();
    Some(table_text(&table, paint) + &text(&sentences))
}

fn commit_block(document: &Document, commits: &Commits, paint: Paint) -> String {
    let mut out = vec![paint.bold(&headline::commits(document, commits))];
    if commits.count > 0 {
        out.extend(cause_lines(&lines(document, commits, SMALL), commits, paint));
    }
    text(&out)
}

fn cause_lines(lines: &[CauseLine], commits: &Commits, paint: Paint) -> Vec<String> {
    let cells: Vec<[String; 4]> = lines.iter().map(|line| line.subject.cells()).collect();
    let rows = lines.iter().zip(label(&cells)).map(|(line, label)| {
        let mean = units::mean(line.total, commits.count).unwrap_or(0);
        vec![
            label,
            units::duration(mean),
            units::percent(line.total, commits.total),
            units::whole_percent(line.slowest, commits.slowest_total),
        ]
    });
    let table = Table {
        header: vec!["", "mean", "share", "in slowest 1 %"],
        words: 1,
        rows: rows.collect(),
    };
    let longest = lines.iter().filter(|line| line.subject != Subject::All);
    let longest = longest.map(|line| line.total).max().unwrap_or(0);
    let mut drawn = aligned(&table).into_iter();
    let header = drawn.next().map(|header| paint.faint(&header));
    let body = drawn
        .zip(lines)
        .map(|(row, line)| painted(&row, line, longest, paint));
    header.into_iter().chain(body).collect()
}

fn painted(row: &str, line: &CauseLine, longest: u64, paint: Paint) -> String {
    match line.subject {
        Subject::All => paint.bold(row),
        _ => format!("{row}  {}", paint.bar(&bar(line.total, longest))),
    }
}

/// A bar in eighths of a column.
fn bar(part: u64, longest: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let columns = BAR * 8;
    let eighths = (u128::from(part) * columns as u128).checked_div(u128::from(longest));
    let eighths = usize::try_from(eighths.unwrap_or(0)).unwrap_or(columns);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

fn statements_block(document: &Document, paint: Paint) -> Option<String> {
    let table = statements::table(document)?;
    let title = paint.bold(&statements::title(document)?);
    Some(text(&[title]) + &table_text(&table, paint))
}

fn files_block(document: &Document, paint: Paint) -> Option<String> {
    let table = files::by_class(document)?;
    let title = paint.bold("system calls on files, by whatever thread");
    Some(text(&[title]) + &table_text(&table, paint))
}

fn devices_block(document: &Document, paint: Paint) -> Option<String> {
    let table = files::by_device(document)?;
    let title = paint.bold("flushes of devices' caches, for whatever thread");
    Some(text(&[title]) + &table_text(&table, paint))
}

fn unclassified(document: &Document, paint: Paint) -> Option<String> {
    let stacks = &document.unclassified;
    (!stacks.is_empty()).then(|| {
        let mut lines = vec![paint.warning("unclassified kernel stacks, innermost frame first")];
        lines.extend(stacks.iter().take(STACKS).flat_map(stack));
        if stacks.len() > STACKS {
            lines.push(format!("- {} more in run.json", stacks.len() - STACKS));
        }
        text(&lines)
    })
}

fn stack(row: &StackTotal) -> Vec<String> {
    let frames: Vec<&str> = row.frames.iter().rev().map(String::as_str).collect();
    item(&format!(
        "{}: {}",
        units::duration(row.total_ns),
        frames.join(" < ")
    ))
}

fn next(document: &Document, paint: Paint) -> String {
    let mut lines = vec![paint.bold("where to look next")];
    let advice = document.commits.as_ref();
    let advice = advice.map_or_else(Vec::new, |commits| advice::next(document, commits));
    lines.extend(advice.iter().flat_map(|text| item(text)));
    let files = match &document.commits {
        Some(commits) if commits.count > 0 && document.response.is_some() => {
            "report.html has every cause, file and probe; flamegraph.svg every stack of the commits, response.svg also \
             the way from the client to them; run.json every number."
        }
        Some(commits) if commits.count > 0 => {
            "report.html has every cause, file and probe; flamegraph.svg every stack; run.json every number."
        }
        Some(_) => "report.html has every file and probe; run.json every number.",
        None => {
            "report.html and run.json have every number; without --no-trace the commits are explained too."
        }
    };
    lines.extend(item(files));
    text(&lines)
}

/// A wrapped item of a list.
fn item(text: &str) -> Vec<String> {
    lines_of(&plain(text), "- ", "  ", WIDTH)
}

/// Text without characters that command a terminal: names of files and versions come from elsewhere.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn table_text(table: &Table, paint: Paint) -> String {
    let mut lines = aligned(table);
    if let Some(header) = lines.first_mut() {
        *header = paint.faint(header);
    }
    text(&lines)
}

/// The lines with their ends, without blanks before them.
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
        assert_eq!(joined(&[part.clone(), part.clone()]), [part.clone(), part]);
        assert_eq!(joined(&["a".to_owned(), "b".to_owned()]), ["a · b"]);
    }
}
