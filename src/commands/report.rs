//! `logtrace report`: renders a run directory again.

use std::fs;
use std::io::{self, IsTerminal};

use crate::run_dir::RunDir;
use anyhow::Context;
use logtrace_report::render::{Input, parse_json, render};

use super::print::print;
use crate::cli::report::ReportArgs;
use crate::exit::Exit;
use crate::run_dir;

/// Renders the run of a directory.
pub(crate) fn report(arguments: &ReportArgs) -> anyhow::Result<Exit> {
    let dir = RunDir::open(&arguments.run_dir)?;
    let path = dir.run_json();
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let document = parse_json(&text).with_context(|| format!("cannot understand {}", path.display()))?;
    let stacks = run_dir::read_stacks(&dir)?;
    let over_time = run_dir::read_over_time(&dir, &document)?;
    let color = io::stdout().is_terminal();
    print(&render(
        arguments.format,
        Input {
            document: &document,
            stacks: &stacks,
            over_time: over_time.as_ref(),
            color,
        },
    )?)?;
    Ok(Exit::Done)
}
