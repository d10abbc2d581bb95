//! Matrix of a scale: the cells that the levels of the axes and the excludes leave.

use std::collections::BTreeMap;

use logtrace_common::Flavor;
use logtrace_driver::FileError;

use crate::cell::Cell;
use crate::plan::axis::{Axis, Level};
use crate::plan::cell_builder::{self, server};
use crate::plan::level_filter::{LevelFilter, check_level, checked, find_axis};
use crate::plan::option_layers::OptionLayers;
use crate::plan::options::{PlanOption, options};
use crate::plan::plan_file::{PlanFile, listed};
use crate::plan::scale::Scale;
use crate::plan::syntax::{Changes, PlanText, ScaleText};
use crate::plan::workload::ReadFile;

/// Longest name of a cell, in bytes. File systems allow 255.
const LONGEST_KEY: usize = 200;
/// Largest number of cells of a scale. More would take weeks.
const MOST_CELLS: usize = 10_000;

/// Everything that decides the cells of a scale.
struct Matrix<'a> {
    source: PlanFile<'a>,
    axes: &'a [Axis],
    base: Vec<PlanOption>,
    scale: Vec<PlanOption>,
    levels: Vec<LevelFilter>,
    changes: LevelChanges,
    excludes: &'a [Vec<LevelFilter>],
    files: ReadFile<'a>,
}

/// Options that a scale adds to levels, by axis and level.
type LevelChanges = BTreeMap<(String, String), Vec<PlanOption>>;

fn changes(source: &PlanFile<'_>, texts: &Changes, axes: &[Axis]) -> Result<LevelChanges, FileError> {
    let mut changes = LevelChanges::new();
    for (name, levels) in texts {
        let axis = find_axis(source, name, axes)?;
        for (level, table) in levels {
            check_level(source, axis, level.get_ref(), level.span())?;
            let key = (axis.name.clone(), level.get_ref().clone());
            changes.insert(key, options(source, table, &[])?);
        }
    }
    Ok(changes)
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
                "{} cells at the scale {scale}, and at most {MOST_CELLS} are possible: use fewer levels",
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
                .whole(format!("the scale {scale} has no cell left: exclude less"))),
            false => Ok(cells),
        }
    }

    /// Returns the combinations of one level of each axis that the scale and the excludes leave.
    fn combinations(&self) -> Vec<Vec<&Level>> {
        let mut all = vec![Vec::new()];
        for axis in self.axes {
            let filter = self.levels.iter().find(|filter| filter.axis == axis.name);
            let is_chosen = |level: &&Level| filter.is_none_or(|filter| filter.has_level(&level.name));
            let levels: Vec<&Level> = axis.levels.iter().filter(is_chosen).collect();
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

    fn is_excluded(&self, levels: &[&Level], exclude: &[LevelFilter]) -> bool {
        exclude.iter().all(|filter| {
            let mut chosen = self.axes.iter().zip(levels);
            chosen.any(|(axis, level)| axis.name == filter.axis && filter.has_level(&level.name))
        })
    }

    fn merged(&self, levels: &[&Level], flavor: Option<Flavor>) -> OptionLayers<'_> {
        let layers = [self.base.as_slice(), self.scale.as_slice()];
        let of_levels = self.axes.iter().zip(levels).flat_map(|(axis, level)| {
            let change = self.changes.get(&(axis.name.clone(), level.name.clone()));
            [Some(level.options.as_slice()), change.map(Vec::as_slice)]
        });
        let layers = layers.into_iter().chain(of_levels.flatten());
        OptionLayers::new(self.source, layers, flavor)
    }

    /// Returns the cell of these levels, or `None` if one of them is for the other server.
    fn cell(&self, levels: &[&Level]) -> Result<Option<(Cell, OptionLayers<'_>)>, FileError> {
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
                "the name of the cell {key} is too long for a directory: shorten the names of levels"
            );
            return Err(self.source.whole(problem));
        }
        let names = self.axes.iter().zip(levels);
        let names = names.map(|(axis, level)| (axis.name.clone(), level.name.clone()));
        let cell = cell_builder::cell(key, names.collect(), &merged, self.files)?;
        Ok(Some((cell, merged)))
    }

    /// Fails if two cells would measure the same, unless a level says `twin = true`.
    fn check_twins(
        &self,
        merges: &[(Vec<&Level>, OptionLayers<'_>)],
        cells: &[Cell],
    ) -> Result<(), FileError> {
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
                    "the cells {} would measure the same: change this level, remove it, or write twin = true",
                    listed([cells[other].key.as_str(), cells[at].key.as_str()])
                );
                return Err(self.source.error_at(line, problem));
            }
            seen.insert(identity, at);
        }
        Ok(())
    }
}
