//! Elements as text for a terminal.

use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use logtrace_common::inert;

use crate::render::elements::element::Element;

/// Blanks between two columns.
const GAP: u16 = 2;
/// Columns of paragraphs. Tables are as wide as they need.
const WIDTH: usize = 100;

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
    let wrapped = |text: &str| textwrap::fill(text, WIDTH);
    match element {
        Element::Title(text) | Element::Heading(text) => painted(&text, Style::new().bold()),
        Element::Subheading(text) => painted(&text, Style::new().underline()),
        Element::Text(text) => wrapped(&text),
        Element::Table(header, rows) => {
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
        Element::Notes(notes) => lines(notes.iter().map(|note| wrapped(&format!("! {note}")))),
        Element::Causes(_, causes) => {
            let mut table = plain(causes.into_iter().map(|(entry, shares)| [entry, shares]));
            if let Some(column) = table.column_mut(0) {
                column.set_padding((0, 0));
            }
            let heading = painted("causes of waiting", Style::new().dimmed());
            format!("{heading}\n{}", trimmed(&table))
        }
        Element::SameCauses => painted("causes of waiting: the same as above", Style::new().dimmed()),
        Element::Stalls(stalls) => lines(stalls.iter().map(|stall| wrapped(stall))),
        Element::Curves(curves) => curves.join("\n"),
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
