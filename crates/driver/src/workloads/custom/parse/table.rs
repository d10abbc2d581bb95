//! Checks of a table of a file.

use std::sync::Arc;

use crate::workloads::custom::generator_spec::{Sizes, ValueSite, generator};
use crate::workloads::custom::parse::name::{Problem, check_name};
use crate::workloads::custom::syntax::TableSection;
use crate::workloads::custom::table::Table;
use crate::workloads::marker::MARKER;

/// Maximum number of rows of a table.
const MAX_ROWS: u32 = i32::MAX as u32;

/// Returns the table, with the generators of its columns.
pub(crate) fn checked(section: &TableSection, sizes: &Sizes) -> Result<Arc<Table>, Problem> {
    let name = section.name.get_ref();
    check_size(section).map_err(|problem| (section.name.span(), format!("the table {name}: {problem}")))?;
    let mut columns = Vec::new();
    for (column, spec) in &section.columns {
        let generator = check_name(column).and_then(|()| generator(spec.get_ref(), ValueSite::Column, sizes));
        let generator = generator.map_err(|problem| {
            let problem = format!("the column {column} of the table {name}: {problem}");
            (spec.span(), problem)
        })?;
        columns.push((column.clone(), generator));
    }
    Ok(Arc::new(Table {
        name: name.clone(),
        create: section.create.clone(),
        rows: section.rows,
        columns,
    }))
}

fn check_size(section: &TableSection) -> Result<(), String> {
    if section.name.get_ref().eq_ignore_ascii_case(MARKER) {
        return Err("logtrace marks its databases with a table of this name: choose another name".into());
    }
    match (section.rows, section.columns.is_empty()) {
        (0, false) => Err("it has [table.columns], but rows is 0: write rows = ...".into()),
        (1.., true) => Err("it has rows, but no columns: write [table.columns]".into()),
        (rows, _) if rows > MAX_ROWS => Err(format!("rows = {rows}: give at most {MAX_ROWS}")),
        _ => Ok(()),
    }
}
