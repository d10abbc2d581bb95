//! Man pages.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Args, Command};
use clap_mangen::Man;

#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  logtrace man run | man -l -
  logtrace man > logtrace.1

The packages install a page of each command: man logtrace-run.")]
pub(crate) struct ManArgs {
    /// Command of the page, such as run or study show [default: the program itself].
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl ManArgs {
    /// Returns the man page of the command, or `None` if there is none of this name.
    pub(crate) fn page(&self, program: Command) -> io::Result<Option<Vec<u8>>> {
        let mut program = program.disable_help_subcommand(true);
        // Gives each command its whole name.
        program.build();
        let mut found = Some(&program);
        for name in &self.command {
            found = found.and_then(|command| command.find_subcommand(name));
        }
        let Some(command) = found.cloned() else {
            return Ok(None);
        };
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        Ok(Some(page))
    }

    /// Returns the name of the command.
    pub(crate) fn name(&self) -> String {
        self.command.join(" ")
    }
}

/// Writes a man page of a program and one of each subcommand into a new or existing directory.
pub(crate) fn write_pages(program: Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(program, directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn each_command_has_a_page_of_its_name() {
        let page = |words: &[&str]| {
            let command = words.iter().map(ToString::to_string).collect();
            let page = ManArgs { command }.page(Cli::definition()).unwrap();
            page.map(|page| String::from_utf8(page).unwrap())
        };
        for (words, title) in [
            (&[][..], ".TH logtrace 1"),
            (&["run"], ".TH logtrace-run 1"),
            (&["study", "show"], ".TH logtrace-study-show 1"),
        ] {
            let page = page(words).unwrap();
            assert!(page.contains(title), "{words:?}: {page}");
        }
        assert_eq!(page(&["nothing"]), None);
        assert_eq!(page(&["run", "nothing"]), None);
    }
}
