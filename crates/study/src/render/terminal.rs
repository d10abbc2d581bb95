//! Study as text for a terminal.

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};

use crate::plan::table_spec::Published;
use crate::render::shared_text;
use crate::report::StudyReport;
use crate::tables::study_table::{Grid, StudyTable};

/// Blanks between two columns.
const GAP: u16 = 2;
/// Columns of paragraphs. Tables are as wide as they need.
const WIDTH: usize = 100;

/// Returns the whole report as aligned text for a person at a terminal.
pub fn terminal(report: &StudyReport, color: bool) -> String {
    let bold = |text: &str| painted(text, Style::new().bold(), color);
    let mut blocks = vec![format!(
        "{}\n{}\n{}",
        bold(&report.title),
        wrapped(&report.question),
        shared_text::summary(report)
    )];
    let mut earlier = Vec::new();
    for table in &report.tables {
        blocks.push(format!("{}\n{}", bold(&table.title), wrapped(&table.caption())));
        for grid in &table.grids {
            let causes = shared_text::new_causes(grid, &mut earlier);
            let lines = std::iter::once(grid_block(table, grid, color));
            let lines = lines.chain(causes.map(|causes| cause_table(&causes, color)));
            blocks.push(lines.collect::<Vec<_>>().join("\n"));
        }
    }
    if !report.stalls.is_empty() {
        let (stalls, more) = shared_text::longest(report);
        let mut block = vec![bold("Stalls, the longest first")];
        block.extend(
            stalls
                .into_iter()
                .map(|stall| wrapped(&shared_text::stall(stall))),
        );
        if more > 0 {
            block.push(format!("{more} more in stalls.csv"));
        }
        block.extend(shared_text::curves(report));
        blocks.push(block.join("\n"));
    }
    for published in &report.published {
        let title = bold(&format!("Published: {}", published.title));
        blocks.push(format!(
            "{title}\n{}\n{}",
            wrapped(&shared_text::origin(published)),
            published_table(published)
        ));
    }
    blocks.join("\n\n") + "\n"
}

fn grid_block(table: &StudyTable, grid: &Grid, color: bool) -> String {
    let mut block = Vec::new();
    if !grid.of.is_empty() {
        block.push(painted(
            &shared_text::heading(grid),
            Style::new().underline(),
            color,
        ));
    }
    let mut drawn = plain();
    let header = std::iter::once(table.row_axis.clone()).chain(grid.columns.iter().cloned());
    drawn.set_header(header);
    for row in &grid.rows {
        let entries = row
            .entries
            .iter()
            .map(|entry| shared_text::entry(table, entry).join("\n"));
        drawn.add_row(std::iter::once(row.level.clone()).chain(entries).map(Cell::new));
    }
    block.push(aligned(drawn));
    block.extend(
        grid.rows
            .iter()
            .flat_map(|row| shared_text::notes(grid, row))
            .map(|note| wrapped(&format!("! {note}"))),
    );
    block.join("\n")
}

fn cause_table(causes: &[(String, String)], color: bool) -> String {
    let heading = |text: &str| painted(text, Style::new().dimmed(), color);
    if causes.is_empty() {
        return heading("causes of waiting: the same as above");
    }
    let mut drawn = plain();
    for (entry, shares) in causes {
        drawn.add_row([entry, shares]);
    }
    if let Some(column) = drawn.column_mut(0) {
        column.set_padding((0, 0));
    }
    format!("{}\n{}", heading("causes of waiting"), trimmed(&drawn))
}

fn published_table(published: &Published) -> String {
    let mut drawn = plain();
    drawn.set_header(&published.columns);
    drawn.add_rows(&published.rows);
    aligned(drawn)
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}

/// Draws a table with words at the left and numbers at the right.
fn aligned(mut table: Table) -> String {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { GAP }, 0));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    trimmed(&table)
}

fn trimmed(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

fn painted(text: &str, style: Style, color: bool) -> String {
    match color {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    }
}

fn wrapped(text: &str) -> String {
    textwrap::fill(text, WIDTH)
}
