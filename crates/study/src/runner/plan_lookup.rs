//! Lookup of plans: built-in ones, and files of users.

use std::fmt::Display;
use std::path::{Component, Path};

use logtrace_common::{FileError, InputDir, InputError, InputFile, InputKind};
use logtrace_measure::errors::UsageError;
use logtrace_server::check_file_owner;

use crate::cell::Cell;
use crate::plan::Plan;
use crate::plan::builtin::{BUILTIN, Builtin};

/// Returns all built-in plans.
pub fn built_in() -> Result<Vec<Plan>, FileError> {
    BUILTIN.iter().map(Builtin::plan).collect()
}

/// Returns an error about an option of a cell, with its line in the plan.
pub(crate) fn plan_error(plan: &Plan, cell: &Cell, option: &str, problem: impl Display) -> UsageError {
    UsageError(plan.error(cell, option, problem).to_string())
}

/// Returns the plan of this name, or in this file. Files that a plan names lie next to it. Under root the owner of one that
/// lies elsewhere is checked, unless everything that the plan names is trusted.
pub fn find(name: &str, trust_plan: bool) -> Result<Plan, UsageError> {
    let usage = |error: FileError| UsageError(error.to_string());
    if !name.ends_with(".toml") {
        let known = BUILTIN.map(|builtin| builtin.name).join(", ");
        let builtin = Builtin::find(name);
        let builtin = builtin.ok_or_else(|| {
            UsageError(format!(
                "there is no study {name}: choose {known}, or a file with a name that ends in .toml"
            ))
        });
        return builtin?.plan().map_err(usage);
    }
    let path = Path::new(name);
    let text = InputFile::open(path, InputKind::Plan).and_then(InputFile::read_text);
    let text = text.map_err(|error| UsageError(format!("cannot read {name}: {error}")))?;
    let files = |file: &str| {
        let directory = path.parent().unwrap_or(Path::new(""));
        let path = directory.join(file);
        let text = match leads_elsewhere(Path::new(file)) {
            true => {
                if !trust_plan {
                    check_file_owner(&path).map_err(|error| format!("{error:#}"))?;
                }
                InputFile::open(&path, InputKind::Workload)
            }
            false => beside(directory, Path::new(file)),
        };
        text.and_then(InputFile::read_text)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    Plan::read(name, &text, &files).map_err(usage)
}

/// Returns whether a path leads out of the directory that it starts in.
fn leads_elsewhere(path: &Path) -> bool {
    let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.components().all(is_name)
}

/// Opens a workload in the directory of its plan.
fn beside(directory: &Path, file: &Path) -> Result<InputFile, InputError> {
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    InputDir::open(directory)?.file(file, InputKind::Workload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_plan_are_told_from_others() {
        for beside in ["a.toml", "./a.toml", "sql/a.toml"] {
            assert!(!leads_elsewhere(Path::new(beside)), "{beside}");
        }
        for other in ["/a.toml", "../a.toml", "sql/../../a.toml"] {
            assert!(leads_elsewhere(Path::new(other)), "{other}");
        }
    }
}
