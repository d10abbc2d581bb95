//! Aligned columns.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table as Drawn};

use crate::render::table::Table;

/// Blanks between two columns.
const GAP: u16 = 2;

/// Returns the header and the rows, all of one width.
pub(crate) fn aligned(table: &Table) -> Vec<String> {
    let mut drawn = Drawn::new();
    drawn.load_style(NOTHING).set_header(&table.header);
    drawn.add_rows(&table.rows);
    for (index, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { GAP }, 0));
        if table.is_number(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    drawn.lines().collect()
}

/// Returns the words of each row in columns, as one text. A row with just one word may run over the columns of the others.
pub(crate) fn label(rows: &[[String; 4]]) -> Vec<String> {
    let mut widths = [0; 4];
    for row in rows.iter().filter(|row| !row[2].is_empty()) {
        for (width, word) in widths.iter_mut().zip(row) {
            *width = word.chars().count().max(*width);
        }
    }
    rows.iter().map(|row| spaced(row, widths)).collect()
}

/// Joins the words of a row. A row without a file starts with the wait.
fn spaced([file, op, wait, who]: &[String; 4], [file_width, op_width, wait_width, _]: [usize; 4]) -> String {
    if file_width == 0 || !op.is_empty() {
        return format!("{file:file_width$}  {op:op_width$}  {wait:wait_width$}  {who}");
    }
    let width = file_width + op_width + wait_width + 4;
    let first = format!("{file}{wait}");
    format!("{first:width$}  {who}")
}
