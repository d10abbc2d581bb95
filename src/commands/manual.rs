//! `logtrace manual`: man pages and completions for packages.

use std::path::Path;

use anyhow::Context;

use crate::cli::Cli;
use crate::cli::manual::{ManualArgs, write_completions, write_pages};
use crate::exit::Exit;

/// Writes both into the directory of the arguments.
pub(crate) fn manual(arguments: &ManualArgs) -> anyhow::Result<Exit> {
    let out = &arguments.out;
    let failed = |path: &Path| format!("cannot write into {}", path.display());
    write_pages(Cli::definition(), &out.join("man1")).with_context(|| failed(out))?;
    write_completions(&mut Cli::definition(), &out.join("completions")).with_context(|| failed(out))?;
    Ok(Exit::Done)
}
