//! `logtrace compare`: compares runs.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context;
use logtrace_common::{InputFile, InputKind};
use logtrace_compare::render::render;
use logtrace_compare::{Run, compare as compared};
use logtrace_measure::run_dir::{self, RunDir};
use logtrace_report::render::read_page;

use super::print::print;
use crate::cli::results::compare::CompareArgs;
use crate::exit::{Exit, UsageError};

/// Compares the runs of directories and pages.
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

/// Returns the paths of both sides, as many of one as of the other.
fn sides(arguments: &CompareArgs) -> Result<(&[PathBuf], &[PathBuf]), UsageError> {
    let (runs, with) = (&arguments.runs[..], &arguments.with[..]);
    match (runs, with) {
        ([a, b], []) => Ok((std::slice::from_ref(a), std::slice::from_ref(b))),
        (_, []) => Err(UsageError(format!(
            "give two runs, or the repeats of B after --with: there are {}",
            runs.len()
        ))),
        _ if runs.len() == with.len() => Ok((runs, with)),
        _ => Err(UsageError(format!(
            "the first of A is compared with the first of B, and so on, but there are {} runs of A and {} of B",
            runs.len(),
            with.len()
        ))),
    }
}

/// Reads a run from its directory or from its page.
fn read(path: &Path) -> anyhow::Result<Run> {
    match path.is_dir() || !path.exists() {
        true => read_dir(path),
        false => read_page_of_run(path),
    }
}

fn read_page_of_run(path: &Path) -> anyhow::Result<Run> {
    let page = InputFile::open(path, InputKind::Page).and_then(InputFile::read_text);
    let page = page.with_context(|| format!("cannot read {}", path.display()))?;
    let numbers = read_page(&page);
    let (document, over_time) =
        numbers.with_context(|| format!("cannot understand the page {}", path.display()))?;
    Ok(Run {
        name: path.display().to_string(),
        document,
        over_time,
    })
}

fn read_dir(dir: &Path) -> anyhow::Result<Run> {
    let dir = RunDir::open(dir)?;
    let document = run_dir::read_document(&dir)?;
    let over_time = run_dir::read_over_time(&dir, &document)?;
    Ok(Run {
        name: dir.path().display().to_string(),
        document,
        over_time,
    })
}
