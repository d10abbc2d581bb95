//! Matrix of a scale: the cells that the levels of the axes and the excludes leave.

use std::collections::BTreeMap;

use logtrace_common::{FileError, Flavor};

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

/// Limit on combinations that excludes are applied to.
const MOST_COMBINATIONS: usize = 1_000_000;

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
        let combinations = self.combinations(scale)?;
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

    /// Returns the combinations of one level of each axis that the excludes leave. Their number is known before any is
    /// made: a short plan can have more than fit into memory.
    fn combinations(&self, scale: Scale) -> Result<Vec<Vec<&Level>>, FileError> {
        let mut lengths = self.axes.iter().map(|axis| axis.levels.len());
        let all = lengths.try_fold(1, usize::checked_mul);
        let Some(all) = all.filter(|&all| all <= MOST_COMBINATIONS) else {
            let problem = format!(
                "the levels of the axes can be combined in more than {MOST_COMBINATIONS} ways at the scale {scale}, and a \
                 study can have at most {MOST_CELLS} cells: use fewer levels"
            );
            return Err(self.source.error_at(None, problem));
        };
        let combinations = (0..all).map(|number| self.combination(number));
        let combinations = combinations.filter(|levels| !self.is_excluded(levels));
        let combinations: Vec<Vec<&Level>> = combinations.take(MOST_CELLS + 1).collect();
        if combinations.len() > MOST_CELLS {
            let problem = format!(
                "the scale {scale} has too many cells: a study can have at most {MOST_CELLS}: use fewer levels"
            );
            return Err(self.source.error_at(None, problem));
        }
        Ok(combinations)
    }

    /// Returns the combination of this number. The last axis changes from one number to the next.
    fn combination(&self, number: usize) -> Vec<&Level> {
        let mut rest = number;
        let mut levels: Vec<&Level> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            levels.push(&axis.levels[rest % axis.levels.len()]);
            rest /= axis.levels.len();
        }
        levels.reverse();
        levels
    }

    fn is_excluded(&self, levels: &[&Level]) -> bool {
        self.excludes.iter().any(|exclude| {
            exclude.iter().all(|filter| {
                let mut chosen = self.axes.iter().zip(levels);
                chosen.any(|(axis, level)| axis.name == filter.axis && filter.has_level(&level.name))
            })
        })
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::Plan;

    #[test]
    fn a_short_plan_with_thousands_of_millions_of_cells_is_refused_before_they_are_made() {
        let mut text = String::from("name = \"many\"\ntitle = \"Many\"\n[base]\nserver = \"mysql\"\n");
        for axis in 0..9 {
            writeln!(text, "[[axis]]\nname = \"a{axis}\"").unwrap();
            for level in 0..10 {
                writeln!(
                    text,
                    "[[axis.level]]\nname = \"{level}\"\nsettings.v{axis} = {level}"
                )
                .unwrap();
            }
        }
        let files = |name: &str| Err(format!("no file {name}"));
        let error = Plan::read("many.toml", &text, &files).unwrap_err().to_string();
        assert!(error.contains("at most 10000"), "{error}");
    }
}
