//! Plans: read from TOML, checked as a whole, and expanded to cells.

pub(crate) mod axis;
pub(crate) mod builtin;
pub(crate) mod cell_builder;
pub(crate) mod level_filter;
pub(crate) mod matrix;
pub(crate) mod option_layers;
pub(crate) mod options;
pub(crate) mod plan_file;
pub(crate) mod scale;
pub(crate) mod short_turns;
pub(crate) mod syntax;
pub(crate) mod table_spec;
pub(crate) mod workload;

#[cfg(test)]
mod tests;

use std::fmt;

use logtrace_common::{FileError, read_toml};

use crate::cell::Cell;
use crate::plan::axis::{Axis, axes};
use crate::plan::matrix::all_cells;
use crate::plan::plan_file::PlanFile;
use crate::plan::scale::Scale;
use crate::plan::syntax::{PlanText, Published};
use crate::plan::table_spec::TableSpec;
use crate::plan::workload::ReadFile;

/// Plan of a study, checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name.
    pub name: String,
    /// Heading.
    pub title: String,
    /// Question that it answers, for people.
    pub question: String,
    /// Axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// Tables.
    pub tables: Vec<TableSpec>,
    /// Tables that others published.
    pub published: Vec<Published>,
    file: String,
    text: String,
    cells: [Vec<Cell>; 3],
}

impl Plan {
    /// Reads the text of a plan, and checks everything that can be checked without a machine, at each scale. `file` is the
    /// name for errors; `files` reads a workload's file that the plan names.
    pub fn read(file: &str, text: &str, files: ReadFile<'_>) -> Result<Self, FileError> {
        let source = PlanFile { name: file, text };
        let parsed: PlanText = read_toml(file, text)?;
        check_names(&source, &parsed)?;
        let axes = axes(&source, &parsed.axes)?;
        let mut tables: Vec<TableSpec> = Vec::new();
        for text in &parsed.tables {
            let table = TableSpec::read(&source, text, &axes)?;
            if tables.iter().any(|other| other.name == table.name) {
                let problem = format!("two tables have the name {}: give each its own name", table.name);
                return Err(source.error(text.name.span(), problem));
            }
            tables.push(table);
        }
        let cells = all_cells(&source, &parsed, &axes, files)?;
        for table in &tables {
            cells.iter().try_for_each(|cells| table.check(&source, cells))?;
        }
        let published = parsed.published.into_iter();
        let published = published.map(|published| Published::checked(&source, published));
        Ok(Self {
            name: parsed.name.into_inner(),
            title: parsed.title,
            question: parsed.question,
            axes,
            tables,
            published: published.collect::<Result<_, _>>()?,
            file: file.to_owned(),
            text: text.to_owned(),
            cells,
        })
    }

    /// Returns the cells of a scale, in the order of the axes. There is at least one.
    pub fn cells(&self, scale: Scale) -> &[Cell] {
        &self.cells[scale as usize]
    }

    /// Returns the text of the plan.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns an error about an option of a cell that only the machine could show. Like the plan's own errors it names the
    /// file and the line of the option.
    pub fn error(&self, cell: &Cell, option: &str, problem: impl fmt::Display) -> FileError {
        let (name, text) = (&self.file, &self.text);
        let problem = format!("{option} (cell {}): {problem}", cell.key);
        PlanFile { name, text }.error_at(cell.line(option), problem)
    }
}

/// Checks the names of the plan and of its scales.
fn check_names(source: &PlanFile<'_>, plan: &PlanText) -> Result<(), FileError> {
    let name = plan.name.get_ref();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_plain) {
        let problem = format!("{name:?} is not a name for a study: write small letters, digits and -");
        return Err(source.error(plan.name.span(), problem));
    }
    for name in plan.scales.keys() {
        let scale: Result<Scale, _> = name.get_ref().parse();
        scale.map_err(|error| source.error(name.span(), error.to_string()))?;
    }
    match plan.axes.is_empty() {
        true => Err(source.error_at(None, "the plan has no axis: write at least one [[axis]]")),
        false => Ok(()),
    }
}
