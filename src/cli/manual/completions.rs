//! Completions of shells.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;

/// Writes the completions of bash, zsh and fish into a new or existing directory, each under the name that its shell wants.
pub(crate) fn write_completions(program: &mut Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, program, "logtrace", directory)?;
    }
    Ok(())
}
