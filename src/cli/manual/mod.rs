//! Arguments of `logtrace manual`, and what it writes: the command line as man pages and as completions of shells.

mod completions;
mod pages;

use std::path::PathBuf;

use clap::Args;

pub(crate) use self::completions::write_completions;
pub(crate) use self::pages::write_pages;

#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// Directory for the man pages (in man1) and the completions of bash, zsh and fish (in completions).
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}
