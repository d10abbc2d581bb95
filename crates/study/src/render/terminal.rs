//! Study as text for a terminal.

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use logtrace_common::inert;

use crate::render::blocks::{Block, blocks};
use crate::report::StudyReport;

/// Blanks between two columns.
const GAP: u16 = 2;
/// Columns of paragraphs. Tables are as wide as they need.
const WIDTH: usize = 100;

/// Returns the whole report as aligned text for a person at a terminal.
pub fn terminal(report: &StudyReport, color: bool) -> String {
    draw_terminal(blocks(report), color)
}

/// Returns groups of blocks as aligned text for a person at a terminal.
pub fn draw_terminal(groups: Vec<Vec<Block>>, color: bool) -> String {
    let groups = groups.into_iter().map(|blocks| {
        let blocks = blocks.into_iter().map(|block| drawn(block, color));
        blocks.collect::<Vec<_>>().join("\n")
    });
    inert::terminal(&(groups.collect::<Vec<_>>().join("\n\n") + "\n"))
}

fn drawn(block: Block, color: bool) -> String {
    let painted = |text: &str, style: Style| match color {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let wrapped = |text: &str| textwrap::fill(text, WIDTH);
    match block {
        Block::Title(text) | Block::Heading(text) => painted(&text, Style::new().bold()),
        Block::Subheading(text) => painted(&text, Style::new().underline()),
        Block::Text(text) => wrapped(&text),
        Block::Table(header, rows) => {
            let mut table = plain(rows);
            table.set_header(header);
            for (index, column) in table.column_iter_mut().enumerate() {
                column.set_padding((if index == 0 { 0 } else { GAP }, 0));
                if index > 0 {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
            trimmed(&table)
        }
        Block::Notes(notes) => lines(notes.iter().map(|note| wrapped(&format!("! {note}")))),
        Block::Causes(_, causes) => {
            let mut table = plain(causes.into_iter().map(|(entry, shares)| [entry, shares]));
            if let Some(column) = table.column_mut(0) {
                column.set_padding((0, 0));
            }
            let heading = painted("causes of waiting", Style::new().dimmed());
            format!("{heading}\n{}", trimmed(&table))
        }
        Block::SameCauses => painted("causes of waiting: the same as above", Style::new().dimmed()),
        Block::Stalls(stalls) => lines(stalls.iter().map(|stall| wrapped(stall))),
        Block::Curves(curves) => curves.join("\n"),
    }
}

fn plain(rows: impl IntoIterator<Item: Into<comfy_table::Row>>) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).add_rows(rows);
    table
}

fn trimmed(table: &Table) -> String {
    lines(table.lines().map(|line| line.trim_end().to_owned()))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
