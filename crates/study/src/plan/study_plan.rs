//! Plan of a study.

use std::collections::BTreeSet;
use std::fmt;

use logtrace_driver::{FileError, read_toml};

use crate::cell::Cell;
use crate::plan::axis::{Axis, axes};
use crate::plan::matrix::all_cells;
use crate::plan::plan_file::PlanFile;
use crate::plan::scale::Scale;
use crate::plan::syntax::PlanText;
use crate::plan::table_spec::{Published, TableSpec};
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
        check_name(&source, &parsed)?;
        let axes = axes(&source, &parsed.axes)?;
        let tables = parsed.tables.iter();
        let tables: Result<Vec<TableSpec>, _> =
            tables.map(|text| TableSpec::read(&source, text, &axes)).collect();
        let published = parsed.published.iter();
        let published: Result<_, _> = published.map(|text| Published::read(&source, text)).collect();
        let (tables, published) = (tables?, published?);
        check_table_names(&source, &parsed)?;
        let cells = all_cells(&source, &parsed, &axes, files)?;
        for cells in &cells {
            tables.iter().try_for_each(|table| table.check(&source, cells))?;
        }
        Ok(Self {
            name: parsed.name.get_ref().clone(),
            title: parsed.title,
            question: parsed.question,
            axes,
            tables,
            published,
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
        let problem = format!("{option} (cell {}): {problem}", cell.key);
        let name = self.file.clone();
        match cell.line(option) {
            Some(line) => FileError::Line { name, line, problem },
            None => FileError::Whole { name, problem },
        }
    }
}

fn check_name(source: &PlanFile<'_>, file: &PlanText) -> Result<(), FileError> {
    let name = file.name.get_ref();
    let is_name = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !is_name || name.is_empty() {
        let problem = format!("{name:?} is not a name for a study: write small letters, digits and -");
        return Err(source.error(file.name.span(), problem));
    }
    let unknown = |name: &toml::Spanned<String>| {
        let error = name.get_ref().parse::<Scale>().err()?;
        Some(source.error(name.span(), error.to_string()))
    };
    match file.scales.keys().find_map(unknown) {
        Some(error) => Err(error),
        None if file.axes.is_empty() => {
            Err(source.whole("the plan has no axis: write at least one [[axis]]"))
        }
        None => Ok(()),
    }
}

fn check_table_names(source: &PlanFile<'_>, file: &PlanText) -> Result<(), FileError> {
    let mut names = BTreeSet::new();
    for table in &file.tables {
        if !names.insert(table.name.get_ref()) {
            let problem = format!(
                "two tables have the name {}: give each its own name",
                table.name.get_ref()
            );
            return Err(source.error(table.name.span(), problem));
        }
    }
    Ok(())
}
