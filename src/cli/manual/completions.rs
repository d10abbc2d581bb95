//! Completions of shells.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Args, Command};
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  source <(logtrace completions bash)
      for this shell alone
  logtrace completions bash > ~/.local/share/bash-completion/completions/logtrace
  logtrace completions zsh > ~/.zfunc/_logtrace
  logtrace completions fish > ~/.config/fish/completions/logtrace.fish

The packages install them.")]
pub(crate) struct CompletionsArgs {
    /// Shell that reads them.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl CompletionsArgs {
    /// Returns the completions of a program.
    pub(crate) fn script(&self, program: &mut Command) -> Vec<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, program, "logtrace", &mut script);
        script
    }
}

/// Writes the completions of bash, zsh and fish into a new or existing directory, each under the name that its shell wants.
pub(crate) fn write_completions(program: &mut Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, program, "logtrace", directory)?;
    }
    Ok(())
}
