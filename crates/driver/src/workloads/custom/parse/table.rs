//! Checking a table of a file.

use std::sync::Arc;

use crate::workloads::custom::generator_spec::{Place, Sizes, generator};
use crate::workloads::custom::parse::{Problem, check_name};
use crate::workloads::custom::syntax::TableText;
use crate::workloads::custom::table::Table;
use crate::workloads::marker::MARKER;

/// Rows that a table can have.
const MOST_ROWS: u32 = i32::MAX as u32;

/// The table, with what draws its rows.
pub(crate) fn checked(text: &TableText, sizes: &Sizes) -> Result<Arc<Table>, Problem> {
    let name = text.name.get_ref();
    check_size(text).map_err(|problem| (text.name.span(), format!("the table {name}: {problem}")))?;
    let mut columns = Vec::new();
    for (column, spec) in &text.columns {
        let generator = check_name(column).and_then(|()| generator(spec.get_ref(), Place::Column, sizes));
        let generator = generator.map_err(|problem| {
            let problem = format!("the column {column} of the table {name}: {problem}");
            (spec.span(), problem)
        })?;
        columns.push((column.clone(), generator));
    }
    Ok(Arc::new(Table {
        name: name.clone(),
        create: text.create.clone(),
        rows: text.rows,
        columns,
    }))
}

fn check_size(text: &TableText) -> Result<(), String> {
    if text.name.get_ref().eq_ignore_ascii_case(MARKER) {
        return Err("this name marks databases of logtrace: choose another one".into());
    }
    match (text.rows, text.columns.is_empty()) {
        (0, false) => Err("[table.columns] fill rows, but rows is 0: write rows = ...".into()),
        (1.., true) => Err("say in [table.columns] what its rows are filled with".into()),
        (rows, _) if rows > MOST_ROWS => Err(format!("rows = {rows}: give at most {MOST_ROWS}")),
        _ => Ok(()),
    }
}
