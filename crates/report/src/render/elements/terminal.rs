//! Elements as text for a terminal.

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table};
use logtrace_common::inert;

use crate::render::elements::element::Element;
use crate::render::wrapping::{kept_together, plain, wrapped};

/// Blanks between two columns.
const GAP: u16 = 2;
/// Columns of a report. In tables that need more, cells have several lines.
const WIDTH: u16 = 80;
/// Columns that are left for the words of a table whose numbers are not broken.
const LEAST_WORDS: usize = 16;

/// Returns groups of elements as aligned text for a person at a terminal.
pub fn draw_terminal(groups: Vec<Vec<Element>>, color: bool) -> String {
    let groups = groups.into_iter().map(|elements| {
        let elements = elements.into_iter().map(|element| drawn(element, color));
        elements.collect::<Vec<_>>().join("\n")
    });
    inert::terminal(&(groups.collect::<Vec<_>>().join("\n\n") + "\n"))
}

fn drawn(element: Element, color: bool) -> String {
    let painted = |text: &str, style: Style| match color {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let wrapped = |text: &str| wrapped(text, usize::from(WIDTH)).join("\n");
    let bold = |text: &str| {
        let text = wrapped(text);
        lines(text.lines().map(|line| painted(line, Style::new().bold())))
    };
    match element {
        Element::Title(text) | Element::Heading(text) | Element::Answer(_, text) => bold(&text),
        Element::Subheading(text) => painted(&text, Style::new().underline()),
        Element::Text(text) => wrapped(&text),
        Element::Table(header, rows) => drawn_table(header, rows),
        Element::Notes(notes) => lines(notes.iter().map(|note| wrapped(&format!("! {note}")))),
        Element::Causes(_, causes) => {
            let causes = causes.into_iter();
            let mut table = plain_table(causes.map(|(entry, shares)| [entry, kept_together(&shares)]));
            if let Some(column) = table.column_mut(0) {
                column.set_padding((0, 0));
            }
            let heading = painted("causes of waiting", Style::new().dimmed());
            format!("{heading}\n{}", trimmed(&table))
        }
        Element::SameCauses => painted("causes of waiting: the same as above", Style::new().dimmed()),
        Element::Stalls(stalls) => lines(stalls.iter().map(|stall| wrapped(stall))),
        Element::Curves(curves) => lines(curves.iter().map(|curve| wrapped(curve))),
    }
}

/// Returns a table with words at the left, numbers at the right, and no number apart from its unit.
fn drawn_table(header: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let kept = |row: Vec<String>| row.iter().map(|cell| kept_together(cell)).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = rows.into_iter().map(kept).collect();
    let header = kept(header);
    let numbers = number_widths(&header, &rows);
    let room = usize::from(WIDTH).saturating_sub(LEAST_WORDS);
    let has_room = numbers
        .iter()
        .map(|width| width + usize::from(GAP))
        .sum::<usize>()
        <= room;
    let mut table = plain_table(rows);
    table.set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { GAP }, 0));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
            if has_room {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    trimmed(&table)
}

/// Returns the columns that the cells of each column need, but for the first one.
fn number_widths(header: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |row: &[String], at: usize| {
        let lines = row
            .get(at)
            .map(|cell| cell.lines().map(|line| line.chars().count()));
        lines.and_then(Iterator::max).unwrap_or(0)
    };
    let widest = |at| {
        rows.iter()
            .map(|row| width(row, at))
            .fold(width(header, at), usize::max)
    };
    (1..header.len()).map(widest).collect()
}

fn plain_table(rows: impl IntoIterator<Item: Into<comfy_table::Row>>) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).add_rows(rows);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(WIDTH);
    table
}

fn trimmed(table: &Table) -> String {
    lines(table.lines().map(|line| plain(line.trim_end())))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
