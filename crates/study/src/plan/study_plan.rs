//! A study, as its file describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use logtrace_common::Flavor;
use logtrace_driver::{FileError, read_toml};
use thiserror::Error;

use crate::cell::Cell;
use crate::plan::axis::{Axis, Level, axes};
use crate::plan::cell_builder::{self, server};
use crate::plan::level_filter::{Choice, checked, no_axis, no_level};
use crate::plan::option_layers::Merged;
use crate::plan::options::{Opt, options};
use crate::plan::plan_file::{Source, listed};
use crate::plan::syntax::{Changes, File, ScaleText};
use crate::plan::table_spec::{Published, TableSpec};
use crate::plan::workload::Files;

/// Longest name of a cell, in bytes: file systems take 255.
const LONGEST_KEY: usize = 200;
/// More would take weeks.
const MOST_CELLS: usize = 10_000;

/// A study, checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What it asks, for people.
    pub question: String,
    /// Its dimensions, in the order of the file.
    pub axes: Vec<Axis>,
    /// What is tabulated.
    pub tables: Vec<TableSpec>,
    /// What others published.
    pub published: Vec<Published>,
    file: String,
    text: String,
    cells: [Vec<Cell>; 3],
}

/// How large a study is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// Minutes on two cores.
    Smoke,
    /// Under an hour.
    Quick,
    /// As it was published, for real hardware.
    Full,
}

/// No such scale.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no scale {0:?}: write smoke, quick or full")]
pub struct UnknownScale(String);

impl Scale {
    /// All of them, from the smallest.
    pub const ALL: [Self; 3] = [Self::Smoke, Self::Quick, Self::Full];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Scale {
    type Err = UnknownScale;

    fn from_str(text: &str) -> Result<Self, UnknownScale> {
        let scale = Self::ALL.into_iter().find(|scale| scale.as_str() == text);
        scale.ok_or_else(|| UnknownScale(text.to_owned()))
    }
}

impl Plan {
    /// Reads the text of a plan, and checks all of it that can be checked without a machine, at each scale. `file` is for
    /// errors; `files` gives the text of a workload's file that the plan names.
    pub fn read(file: &str, text: &str, files: Files<'_>) -> Result<Self, FileError> {
        let source = Source { name: file, text };
        let parsed: File = read_toml(file, text)?;
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

    /// The cells of a scale, in the order of the axes; at least one.
    pub fn cells(&self, scale: Scale) -> &[Cell] {
        &self.cells[scale as usize]
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What turns out to be wrong with an option of a cell when the machine is asked, told like the plan's own errors: the
    /// file, the line of the option, and what was found with its remedy.
    pub fn error(&self, cell: &Cell, option: &str, problem: impl fmt::Display) -> FileError {
        let problem = format!("{option} (cell {}): {problem}", cell.key);
        let name = self.file.clone();
        match cell.line(option) {
            Some(line) => FileError::Line { name, line, problem },
            None => FileError::Whole { name, problem },
        }
    }
}

fn check_name(source: &Source<'_>, file: &File) -> Result<(), FileError> {
    let name = file.name.get_ref();
    let is_name = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if !is_name || name.is_empty() {
        let problem = format!("{name:?} is no name of a study: write small letters, digits and -");
        return Err(source.error(file.name.span(), problem));
    }
    let known = |name: &str| name.parse::<Scale>().is_ok();
    match file.scales.keys().find(|name| !known(name.get_ref())) {
        Some(name) => Err(source.error(name.span(), UnknownScale(name.get_ref().clone()).to_string())),
        None if file.axes.is_empty() => Err(source.whole("it has no axis: write at least one [[axis]]")),
        None => Ok(()),
    }
}

fn check_table_names(source: &Source<'_>, file: &File) -> Result<(), FileError> {
    let mut names = BTreeSet::new();
    for table in &file.tables {
        if !names.insert(table.name.get_ref()) {
            let problem = format!(
                "two tables are called {}: give each a name of its own",
                table.name.get_ref()
            );
            return Err(source.error(table.name.span(), problem));
        }
    }
    Ok(())
}

/// What the cells of a scale are made of.
struct Matrix<'a> {
    source: Source<'a>,
    axes: &'a [Axis],
    base: Vec<Opt>,
    scale: Vec<Opt>,
    levels: Vec<Choice>,
    changes: Vec<Change>,
    excludes: &'a [Vec<Choice>],
    files: Files<'a>,
}

/// What a level has besides its own options at a scale.
struct Change {
    axis: String,
    level: String,
    options: Vec<Opt>,
}

fn changes(source: &Source<'_>, texts: &Changes, axes: &[Axis]) -> Result<Vec<Change>, FileError> {
    let mut changes = Vec::new();
    for (name, levels) in texts {
        let axis = axes.iter().find(|axis| axis.name == *name.get_ref());
        let axis = axis.ok_or_else(|| source.error(name.span(), no_axis(name.get_ref(), axes)))?;
        for (level, table) in levels {
            if axis.level(level.get_ref()).is_none() {
                return Err(source.error(level.span(), no_level(axis, level.get_ref())));
            }
            changes.push(Change {
                axis: axis.name.clone(),
                level: level.get_ref().clone(),
                options: options(source, table, &[])?,
            });
        }
    }
    Ok(changes)
}

fn all_cells(
    source: &Source<'_>,
    file: &File,
    axes: &[Axis],
    files: Files<'_>,
) -> Result<[Vec<Cell>; 3], FileError> {
    let excludes = file.excludes.iter().map(|exclude| {
        let choices = checked(source, exclude.get_ref(), axes)?;
        match choices.is_empty() {
            true => Err(source.error(exclude.span(), "it leaves out everything: name levels of axes")),
            false => Ok(choices),
        }
    });
    let excludes: Vec<Vec<Choice>> = excludes.collect::<Result<_, _>>()?;
    let base = options(source, &file.base, &[])?;
    let mut cells = [const { Vec::new() }; 3];
    for scale in Scale::ALL {
        let none = ScaleText::default();
        let mut texts = file.scales.iter();
        let text = texts.find(|(name, _)| name.get_ref() == scale.as_str());
        let text = text.map_or(&none, |(_, text)| text);
        let matrix = Matrix {
            source: *source,
            axes,
            base: base.clone(),
            scale: options(source, &text.base, &[])?,
            levels: checked(source, &text.levels, axes)?,
            changes: changes(source, &text.change, axes)?,
            excludes: &excludes,
            files,
        };
        cells[scale as usize] = matrix.cells(scale)?;
    }
    Ok(cells)
}

impl Matrix<'_> {
    fn cells(&self, scale: Scale) -> Result<Vec<Cell>, FileError> {
        let combinations = self.combinations();
        if combinations.len() > MOST_CELLS {
            let problem = format!(
                "{} cells at the scale {scale}: have at most {MOST_CELLS}",
                combinations.len()
            );
            return Err(self.source.whole(problem));
        }
        let (mut cells, mut merges) = (Vec::new(), Vec::new());
        for levels in combinations {
            if let Some((cell, merged)) = self.cell(&levels)? {
                merges.push((levels, merged));
                cells.push(cell);
            }
        }
        self.check_twins(&merges, &cells)?;
        match cells.is_empty() {
            true => Err(self
                .source
                .whole(format!("nothing is left at the scale {scale}: exclude less"))),
            false => Ok(cells),
        }
    }

    /// One level of each axis, in all ways that the scale and the excludes leave.
    fn combinations(&self) -> Vec<Vec<&Level>> {
        let mut all = vec![Vec::new()];
        for axis in self.axes {
            let choice = self.levels.iter().find(|choice| choice.axis == axis.name);
            let taken = |level: &&Level| choice.is_none_or(|choice| choice.takes_level(&level.name));
            let levels: Vec<&Level> = axis.levels.iter().filter(taken).collect();
            let longer = all.iter().flat_map(|shorter: &Vec<&Level>| {
                levels
                    .iter()
                    .map(move |level| shorter.iter().copied().chain([*level]).collect())
            });
            all = longer.collect();
        }
        all.retain(|levels| {
            !self
                .excludes
                .iter()
                .any(|exclude| self.is_excluded(levels, exclude))
        });
        all
    }

    fn is_excluded(&self, levels: &[&Level], exclude: &[Choice]) -> bool {
        exclude.iter().all(|choice| {
            let mut chosen = self.axes.iter().zip(levels);
            chosen.any(|(axis, level)| axis.name == choice.axis && choice.takes_level(&level.name))
        })
    }

    fn merged(&self, levels: &[&Level], flavor: Option<Flavor>) -> Merged<'_> {
        let layers = [self.base.as_slice(), self.scale.as_slice()];
        let of_levels = self.axes.iter().zip(levels).flat_map(|(axis, level)| {
            let mut changes = self.changes.iter();
            let change = changes.find(|change| change.axis == axis.name && change.level == level.name);
            [
                Some(level.options.as_slice()),
                change.map(|change| change.options.as_slice()),
            ]
        });
        let layers = layers.into_iter().chain(of_levels.flatten());
        Merged::new(self.source, layers, flavor)
    }

    /// The cell of these levels; `None` where one of them is not for its server.
    fn cell(&self, levels: &[&Level]) -> Result<Option<(Cell, Merged<'_>)>, FileError> {
        let (_, flavor) = server(&self.merged(levels, None))?;
        if levels
            .iter()
            .any(|level| level.only.is_some_and(|only| only != flavor))
        {
            return Ok(None);
        }
        let merged = self.merged(levels, Some(flavor));
        let key: Vec<&str> = levels.iter().map(|level| level.slug.as_str()).collect();
        let key = key.join("_");
        if key.len() > LONGEST_KEY {
            let problem = format!(
                "the cell {key} has a name that is too long for a directory: shorten names of levels"
            );
            return Err(self.source.whole(problem));
        }
        let names = self.axes.iter().zip(levels);
        let names = names.map(|(axis, level)| (axis.name.clone(), level.name.clone()));
        let cell = cell_builder::cell(key, names.collect(), &merged, self.files)?;
        Ok(Some((cell, merged)))
    }

    /// Refuses two cells that would measure the same, unless that is what is meant.
    fn check_twins(&self, merges: &[(Vec<&Level>, Merged<'_>)], cells: &[Cell]) -> Result<(), FileError> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (at, (levels, merged)) in merges.iter().enumerate() {
            if levels.iter().any(|level| level.twin) {
                continue;
            }
            let identity = format!("{:?}", merged.identity());
            if let Some(&other) = seen.get(&identity) {
                let (others, _): &(Vec<&Level>, _) = &merges[other];
                let differing = levels
                    .iter()
                    .zip(others)
                    .find(|(one, other)| one.name != other.name);
                let line = differing.map_or(1, |(level, _)| level.line);
                let problem = format!(
                    "the cells {} measure the same: let this level differ, leave it out, or write twin = true",
                    listed([cells[other].key.as_str(), cells[at].key.as_str()])
                );
                return Err(self.source.error_at(line, problem));
            }
            seen.insert(identity, at);
        }
        Ok(())
    }
}
