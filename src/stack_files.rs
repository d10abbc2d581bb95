//! The files of a run directory that hold time by stack, and their drawings.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use logtrace_events::RunDir;
use logtrace_report::breakdown::{StackTotals, Whole};
use logtrace_report::render::parse_folded;

/// The file with the stacks.
pub(crate) fn folded(dir: &RunDir, whole: Whole) -> PathBuf {
    match whole {
        Whole::Commit => dir.commits_folded(),
        Whole::Response => dir.response_folded(),
        Whole::Statement => dir.statements_folded(),
    }
}

/// The file with their drawing.
pub(crate) fn drawn(dir: &RunDir, whole: Whole) -> PathBuf {
    match whole {
        Whole::Commit => dir.flamegraph_svg(),
        Whole::Response => dir.response_svg(),
        Whole::Statement => dir.statements_svg(),
    }
}

/// Reads the stacks back.
pub(crate) fn read(dir: &RunDir) -> anyhow::Result<StackTotals> {
    let mut stacks = StackTotals::default();
    for whole in Whole::ALL {
        let path = folded(dir, whole);
        let text = match fs::read_to_string(&path) {
            // What was not traced has none.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        *stacks.of_mut(whole) =
            parse_folded(whole, &text).with_context(|| format!("cannot understand {}", path.display()))?;
    }
    Ok(stacks)
}
