//! The `--home` option.

use std::path::PathBuf;

use clap::Args;
use logtrace_server::Home;

#[derive(Debug, Args)]
pub(crate) struct HomeArgs {
    /// Directory in which private servers and their data directories are created. Default:
    /// /var/lib/logtrace/instances and /var/cache/logtrace/templates.
    #[arg(long, value_name = "DIR", env = "LOGTRACE_HOME")]
    home: Option<PathBuf>,
}

impl HomeArgs {
    /// Returns the directories to use.
    pub(crate) fn home(&self) -> Home {
        self.home.as_deref().map_or_else(Home::default, Home::at)
    }
}
