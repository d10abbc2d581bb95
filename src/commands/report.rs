//! `logtrace report`: a run directory rendered again.

use std::fs;
use std::io::{self, IsTerminal};

use anyhow::Context;
use logtrace_events::RunDir;
use logtrace_report::render::{Input, parse_folded, parse_json, render};

use super::print;
use crate::cli::ReportArgs;
use crate::exit::Exit;

/// Renders what the run directory holds.
pub(crate) fn report(arguments: &ReportArgs) -> anyhow::Result<Exit> {
    let dir = RunDir::open(&arguments.run_dir)?;
    let path = dir.run_json();
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let document = parse_json(&text).with_context(|| format!("cannot understand {}", path.display()))?;
    let stacks = match fs::read_to_string(dir.commits_folded()) {
        Ok(text) => parse_folded(&text)
            .with_context(|| format!("cannot understand {}", dir.commits_folded().display()))?,
        // A run that was not traced has none.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", dir.commits_folded().display()));
        }
    };
    let color = io::stdout().is_terminal();
    print(&render(
        arguments.format,
        Input {
            document: &document,
            stacks: &stacks,
            color,
        },
    )?)?;
    Ok(Exit::Done)
}
