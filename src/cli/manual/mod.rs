//! Arguments of `logtrace completions`, `man` and `manual`, and what they write: the command line as man pages and as completions
//! of shells.

mod completions;
mod pages;
mod short_help;

use std::path::PathBuf;

use clap::Args;

pub(crate) use self::completions::{CompletionsArgs, write_completions};
pub(crate) use self::pages::{ManArgs, write_pages};
pub(crate) use self::short_help::with_short_help;

#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// Directory for the man pages (in man1) and the completions of bash, zsh and fish (in completions).
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}
