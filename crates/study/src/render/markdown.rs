//! Study as Markdown: `report.md`.

use logtrace_common::inert::markdown as escaped;

use crate::render::blocks::{Block, blocks};
use crate::report::StudyReport;

/// Returns the whole report as Markdown, for an issue or a wiki: `report.md`.
pub fn markdown(report: &StudyReport) -> String {
    draw_markdown(blocks(report))
}

/// Returns groups of blocks as Markdown.
pub fn draw_markdown(groups: Vec<Vec<Block>>) -> String {
    let blocks = groups.into_iter().flatten().map(drawn);
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

fn drawn(block: Block) -> String {
    match block {
        Block::Title(text) => format!("# {}", escaped(&text)),
        Block::Heading(text) => format!("## {}", escaped(&text)),
        Block::Subheading(text) => format!("### {}", escaped(&text)),
        Block::Text(text) => escaped(&text),
        Block::Table(header, rows) => table(&header, &rows, "---:"),
        Block::Causes(entries, causes) => {
            let causes: Vec<_> = causes
                .into_iter()
                .map(|(entry, shares)| vec![entry, shares])
                .collect();
            table(&[entries, "causes of waiting".to_owned()], &causes, "---")
        }
        Block::SameCauses => "The causes are the same as above.".to_owned(),
        Block::Notes(items) | Block::Stalls(items) => list(&items),
        Block::Curves(curves) => format!("Requests in each second:\n\n{}", list(&curves)),
    }
}

/// Draws a table with words in the first column. `rule` aligns the others.
fn table(header: &[String], rows: &[Vec<String>], rule: &str) -> String {
    let rules = format!(
        "| --- |{}",
        format!(" {rule} |").repeat(header.len().saturating_sub(1))
    );
    let rows = rows.iter().map(|row| line(row));
    let lines = [line(header), rules].into_iter().chain(rows);
    lines.collect::<Vec<_>>().join("\n")
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| escaped(&cell.replace('\n', " · ")))
        .collect();
    format!("| {} |", cells.join(" | "))
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("- {}", escaped(item))).collect();
    items.join("\n")
}
