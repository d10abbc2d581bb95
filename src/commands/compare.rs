//! `logtrace compare`: compares run directories.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use logtrace_compare::render::render;
use logtrace_compare::{Run, compare as compared};

use super::print::print;
use crate::cli::results::compare::CompareArgs;
use crate::exit::{Exit, UsageError};
use crate::run_dir::{self, RunDir};

/// Compares the runs of directories.
pub(crate) fn compare(arguments: &CompareArgs) -> anyhow::Result<Exit> {
    let (a, b) = sides(arguments)?;
    let read = |dirs: &[PathBuf]| {
        dirs.iter()
            .map(|dir| read(dir))
            .collect::<anyhow::Result<Vec<_>>>()
    };
    let comparison = compared(&read(a)?, &read(b)?, arguments.assumed());
    print(&render(
        arguments.format,
        &comparison,
        io::stdout().is_terminal(),
    )?)?;
    Ok(Exit::Done)
}

/// Returns the directories of both sides, as many of one as of the other.
fn sides(arguments: &CompareArgs) -> Result<(&[PathBuf], &[PathBuf]), UsageError> {
    let (runs, with) = (&arguments.runs[..], &arguments.with[..]);
    match (runs, with) {
        ([a, b], []) => Ok((std::slice::from_ref(a), std::slice::from_ref(b))),
        (_, []) => Err(UsageError(format!(
            "give two run directories, or the repeats of B after --with: there are {}",
            runs.len()
        ))),
        _ if runs.len() == with.len() => Ok((runs, with)),
        _ => Err(UsageError(format!(
            "the first of A is compared with the first of B, and so on, but there are {} run directories of A and {} of B",
            runs.len(),
            with.len()
        ))),
    }
}

fn read(dir: &Path) -> anyhow::Result<Run> {
    let dir = RunDir::open(dir)?;
    let document = run_dir::read_document(&dir)?;
    let over_time = run_dir::read_over_time(&dir, &document)?;
    Ok(Run {
        name: dir.path().display().to_string(),
        document,
        over_time,
    })
}
