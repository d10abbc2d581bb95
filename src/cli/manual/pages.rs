//! Man pages.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;

/// Writes a man page of a program and one of each subcommand into a new or existing directory.
pub(crate) fn write_pages(program: Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    clap_mangen::generate_to(program, directory)
}
