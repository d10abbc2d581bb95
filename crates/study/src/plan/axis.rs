//! Axes of a study.

use std::collections::BTreeSet;

use logtrace_common::{FileError, Flavor};
use toml::Spanned;

use crate::plan::option_layers::OptionLayers;
use crate::plan::options::{PlanOption, options};
use crate::plan::plan_file::{PlanFile, listed};
use crate::plan::syntax::{AxisText, PlanTable};

/// Longest name of a level. The levels of a cell together name a directory.
const LONGEST: usize = 40;

/// Keys of a level that are not options.
const OWN: [&str; 3] = ["name", "only", "twin"];

/// Axis: a dimension of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Name.
    pub name: String,
    /// Levels, at least one.
    pub levels: Vec<Level>,
    /// Line of the name in the plan, from 1.
    pub line: usize,
}

/// Level of an axis: a name, and options.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Name.
    pub name: String,
    /// Part of the names of directories, unique in the axis.
    pub slug: String,
    /// Flavor of the servers that have this level, or `None` for both.
    pub only: Option<Flavor>,
    /// Whether it may equal another level: an A/A check of the study.
    pub twin: bool,
    /// Line of the name in the plan, from 1.
    pub line: usize,
    pub(crate) options: Vec<PlanOption>,
}

impl Axis {
    /// Returns the axis of this name, or an error message.
    pub fn find<'a>(axes: &'a [Self], name: &str) -> Result<&'a Self, String> {
        let known = axes.iter().map(|axis| axis.name.as_str());
        let error = || format!("there is no axis {name:?}: the axes are {}", listed(known));
        axes.iter().find(|axis| axis.name == name).ok_or_else(error)
    }

    /// Returns the level of this name, or an error message.
    pub fn level(&self, name: &str) -> Result<&Level, String> {
        let known = self.levels.iter().map(|level| level.name.as_str());
        let error = || {
            format!(
                "the axis {} has no level {name:?}: it has {}",
                self.name,
                listed(known)
            )
        };
        self.levels
            .iter()
            .find(|level| level.name == name)
            .ok_or_else(error)
    }
}

pub(crate) fn axes(source: &PlanFile<'_>, texts: &[AxisText]) -> Result<Vec<Axis>, FileError> {
    let mut axes: Vec<Axis> = Vec::new();
    for text in texts {
        let (name, line) = (text.name.get_ref(), source.line(text.name.span()));
        let fail = |problem: String| Err(source.error_at(line, problem));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return fail(format!(
                "{name:?} is not a name for an axis: write letters, digits, - and _"
            ));
        }
        if let Some(Axis { line, .. }) = axes.iter().find(|axis| axis.name == *name) {
            return fail(format!(
                "line {line} has an axis {name} too: give each its own name"
            ));
        }
        if text.levels.is_empty() {
            return fail(format!(
                "the axis {name} has no level: write at least one [[axis.level]]"
            ));
        }
        let axis = Axis {
            name: name.clone(),
            levels: levels(source, name, &text.levels)?,
            line,
        };
        check_clashes(source, &axes, &axis)?;
        axes.push(axis);
    }
    Ok(axes)
}

fn levels(source: &PlanFile<'_>, axis: &str, texts: &[Spanned<PlanTable>]) -> Result<Vec<Level>, FileError> {
    let (mut levels, mut slugs): (Vec<Level>, _) = (Vec::new(), BTreeSet::new());
    for text in texts {
        let mut options = options(source, text.get_ref(), &OWN)?;
        let own = OptionLayers::new(*source, &options, None);
        let (Some(name), Some(line)) = (own.text("name")?, own.line("name")) else {
            let problem = format!("this level of the axis {axis} has no name: write name = \"...\"");
            return Err(source.error(text.span(), problem));
        };
        let fail = |problem: String| Err(source.error_at(line, problem));
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return fail(format!(
                "{name:?} is not a name for a level: write 1 to {LONGEST} characters"
            ));
        }
        if let Some(Level { line, .. }) = levels.iter().find(|level| level.name == name) {
            return fail(format!(
                "line {line} has a level {name} of the axis {axis} too: give each its own name"
            ));
        }
        options.retain(|option| !OWN.contains(&option.key.as_str()));
        levels.push(Level {
            slug: slug(&name, &mut slugs),
            name,
            only: own.word("only")?,
            twin: own.flag("twin")?,
            line,
            options,
        });
    }
    Ok(levels)
}

/// Returns a name for directories: special characters of paths and commands are replaced. If two names become equal, the later
/// one gets a number.
fn slug(name: &str, used: &mut BTreeSet<String>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '+';
    let slug: String = name.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let slug = match slug.starts_with(['.', '-']) {
        true => format!("x{slug}"),
        false => slug,
    };
    let numbered = (2..).map(|number: u32| format!("{slug}-{number}"));
    let mut free = std::iter::once(slug.clone()).chain(numbered);
    let slug = free.find(|slug| !used.contains(slug)).unwrap_or(slug);
    used.insert(slug.clone());
    slug
}

/// Fails if two axes set the same option.
fn check_clashes(source: &PlanFile<'_>, axes: &[Axis], axis: &Axis) -> Result<(), FileError> {
    for option in axis.levels.iter().flat_map(|level| &level.options) {
        for other in axes {
            let mut others = other.levels.iter().flat_map(|level| &level.options);
            if let Some(clash) = others.find(|clash| clash.clashes(option)) {
                let problem = format!(
                    "the axis {1} sets {0}, and in line {2} so does the axis {3}: set it in one of them",
                    option.key, axis.name, clash.line, other.name
                );
                return Err(source.error_at(option.line, problem));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_unique_names_of_directories() {
        let mut taken = BTreeSet::new();
        let slugs = ["10/s", "10 s", "..", "CPU-bound", "a_b"].map(|name| slug(name, &mut taken));
        assert_eq!(slugs, ["10-s", "10-s-2", "x..", "CPU-bound", "a-b"]);
    }
}
