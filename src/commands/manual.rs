//! `logtrace completions`, `logtrace man` and, for packages, `logtrace manual`: completions and man pages.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anyhow::Context;

use crate::cli::Cli;
use crate::cli::manual::{CompletionsArgs, ManArgs, ManualArgs, write_completions, write_pages};
use crate::exit::{Exit, UsageError};

/// Prints the completions of a shell.
pub(crate) fn completions(arguments: &CompletionsArgs) -> anyhow::Result<Exit> {
    printed(&arguments.script(&mut Cli::definition()))
}

/// Prints the man page of a command.
pub(crate) fn man(arguments: &ManArgs) -> anyhow::Result<Exit> {
    let page = arguments
        .page(Cli::definition())
        .context("cannot make the page")?;
    let unknown = || {
        UsageError(format!(
            "there is no command {:?}: logtrace --help lists them",
            arguments.name()
        ))
    };
    printed(&page.ok_or_else(unknown)?)
}

/// Prints what is of the program alone, and has nothing of others in it.
fn printed(bytes: &[u8]) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("cannot print to the standard output")
        }
        _ => Ok(Exit::Done),
    }
}

/// Writes all into the directory of the arguments.
pub(crate) fn manual(arguments: &ManualArgs) -> anyhow::Result<Exit> {
    let out = &arguments.out;
    let failed = |path: &Path| format!("cannot write into {}", path.display());
    write_pages(Cli::definition(), &out.join("man1")).with_context(|| failed(out))?;
    write_completions(&mut Cli::definition(), &out.join("completions")).with_context(|| failed(out))?;
    Ok(Exit::Done)
}
