//! Matrix of a scale: the cells that the levels of the axes and the excludes leave.

use std::collections::BTreeMap;

use logtrace_common::Flavor;
use logtrace_driver::FileError;

use crate::cell::Cell;
use crate::plan::axis::{Axis, Level};
use crate::plan::cell_builder::{self, server};
use crate::plan::level_filter::{LevelFilter, checked, find_axis};
use crate::plan::option_layers::OptionLayers;
use crate::plan::options::{PlanOption, options};
use crate::plan::plan_file::PlanFile;
use crate::plan::scale::Scale;
use crate::plan::syntax::{PlanText, ScaleText};
use crate::plan::workload::ReadFile;

/// Longest name of a cell, in bytes. File systems allow 255.
const LONGEST_KEY: usize = 200;
/// Largest number of cells of a scale. More would take weeks.
const MOST_CELLS: usize = 10_000;

/// Everything that decides the cells of a scale.
struct Matrix<'a> {
    source: PlanFile<'a>,
    /// Options of all cells.
    base: Vec<PlanOption>,
    /// Axes with the levels of the scale, and with its changes.
    axes: Vec<Axis>,
    excludes: &'a [Vec<LevelFilter>],
    files: ReadFile<'a>,
}

/// Returns the cells of each scale.
pub(crate) fn all_cells(
    source: &PlanFile<'_>,
    file: &PlanText,
    axes: &[Axis],
    files: ReadFile<'_>,
) -> Result<[Vec<Cell>; 3], FileError> {
    let excludes = file.excludes.iter().map(|exclude| {
        let filters = checked(source, exclude.get_ref(), axes)?;
        match filters.is_empty() {
            true => Err(source.error(
                exclude.span(),
                "this exclude names no level and would leave out every cell: name levels of axes",
            )),
            false => Ok(filters),
        }
    });
    let excludes: Vec<Vec<LevelFilter>> = excludes.collect::<Result<_, _>>()?;
    let base = options(source, &file.base, &[])?;
    let mut cells = [const { Vec::new() }; 3];
    for scale in Scale::ALL {
        let none = ScaleText::default();
        let text = file.scales.get(scale.as_str()).unwrap_or(&none);
        let matrix = Matrix {
            source: *source,
            base: [base.clone(), options(source, &text.base, &[])?].concat(),
            axes: scaled(source, axes, text)?,
            excludes: &excludes,
            files,
        };
        cells[scale as usize] = matrix.cells(scale)?;
    }
    Ok(cells)
}

/// Returns the axes with the options that a scale adds to levels, and without the levels that it leaves out.
fn scaled(source: &PlanFile<'_>, axes: &[Axis], text: &ScaleText) -> Result<Vec<Axis>, FileError> {
    let mut scaled = axes.to_vec();
    for (name, changes) in &text.change {
        let axis = find_axis(source, name, axes)?;
        for (level, table) in changes {
            let known = axis.level(level.get_ref());
            let known = known.map_err(|problem| source.error(level.span(), problem))?;
            let changed = scaled.iter_mut().filter(|other| other.name == axis.name);
            let mut changed = changed.flat_map(|axis| &mut axis.levels);
            if let Some(level) = changed.find(|other| other.name == known.name) {
                level.options.extend(options(source, table, &[])?);
            }
        }
    }
    for filter in checked(source, &text.levels, axes)? {
        for axis in scaled.iter_mut().filter(|axis| axis.name == filter.axis) {
            axis.levels.retain(|level| filter.has_level(&level.name));
        }
    }
    Ok(scaled)
}

impl Matrix<'_> {
    fn cells(&self, scale: Scale) -> Result<Vec<Cell>, FileError> {
        let combinations = self.combinations();
        if combinations.len() > MOST_CELLS {
            let problem = format!(
                "{} cells at the scale {scale}, and at most {MOST_CELLS} are possible: use fewer levels",
                combinations.len()
            );
            return Err(self.source.error_at(None, problem));
        }
        let (mut cells, mut seen) = (Vec::new(), BTreeMap::new());
        for levels in combinations {
            let Some((cell, identity)) = self.cell(&levels)? else {
                continue;
            };
            // Two cells that measure the same are an A/A check only if a level says so.
            if !levels.iter().any(|level| level.twin)
                && let Some((others, other)) = seen.insert(identity, (levels.clone(), cell.key.clone()))
            {
                let mut pairs = levels.iter().zip(others);
                let differing = pairs.find(|(one, other)| one.name != other.name);
                let problem = format!(
                    "the cells {other}, {} would measure the same: change this level, remove it, or write twin = true",
                    cell.key
                );
                return Err(self
                    .source
                    .error_at(differing.map(|(level, _)| level.line), problem));
            }
            cells.push(cell);
        }
        match cells.is_empty() {
            true => {
                let problem = format!("the scale {scale} has no cell left: exclude less");
                Err(self.source.error_at(None, problem))
            }
            false => Ok(cells),
        }
    }

    /// Returns the combinations of one level of each axis that the excludes leave.
    fn combinations(&self) -> Vec<Vec<&Level>> {
        let mut all = vec![Vec::new()];
        for axis in &self.axes {
            let longer = all.iter().flat_map(|shorter: &Vec<&Level>| {
                let levels = axis.levels.iter();
                levels.map(|level| [shorter.as_slice(), &[level]].concat())
            });
            all = longer.collect();
        }
        all.retain(|levels| {
            let is_excluded = |exclude: &Vec<LevelFilter>| {
                exclude.iter().all(|filter| {
                    let mut chosen = self.axes.iter().zip(levels);
                    chosen.any(|(axis, level)| axis.name == filter.axis && filter.has_level(&level.name))
                })
            };
            !self.excludes.iter().any(is_excluded)
        });
        all
    }

    fn options(&self, levels: &[&Level], flavor: Option<Flavor>) -> OptionLayers<'_> {
        let of_levels = levels.iter().flat_map(|level| &level.options);
        OptionLayers::new(self.source, self.base.iter().chain(of_levels), flavor)
    }

    /// Returns the cell of these levels and the identity of its options, or `None` if one of the levels is for the other server.
    fn cell(&self, levels: &[&Level]) -> Result<Option<(Cell, String)>, FileError> {
        let (_, flavor) = server(&self.options(levels, None))?;
        let mut only = levels.iter().filter_map(|level| level.only);
        if only.any(|only| only != flavor) {
            return Ok(None);
        }
        let options = self.options(levels, Some(flavor));
        let key: Vec<&str> = levels.iter().map(|level| level.slug.as_str()).collect();
        let key = key.join("_");
        if key.len() > LONGEST_KEY {
            let problem = format!(
                "the name of the cell {key} is too long for a directory: shorten the names of levels"
            );
            return Err(self.source.error_at(None, problem));
        }
        let names = self.axes.iter().zip(levels);
        let names = names.map(|(axis, level)| (axis.name.clone(), level.name.clone()));
        let cell = cell_builder::cell(key, names.collect(), &options, self.files)?;
        Ok(Some((cell, options.identity())))
    }
}
