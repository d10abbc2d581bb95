//! The options `--home` and `--user`.

use std::path::PathBuf;

use clap::Args;
use logtrace_server::Home;

#[derive(Debug, Args)]
pub(crate) struct HomeArgs {
    /// Directory in which private servers and their data directories are created. Default:
    /// /var/lib/logtrace/instances and /var/cache/logtrace/templates.
    #[arg(long, value_name = "DIR", env = "LOGTRACE_HOME")]
    home: Option<PathBuf>,

    /// System user that private servers run as [default: logtrace]. Without that user it is mysql or nobody, but only if no
    /// process and no data of a server belongs to it.
    #[arg(long, value_name = "NAME", env = "LOGTRACE_USER")]
    user: Option<String>,
}

impl HomeArgs {
    /// Returns the directories and the user to use.
    pub(crate) fn home(&self) -> Home {
        let directories = self.home.as_deref().map_or_else(Home::default, Home::at);
        Home {
            user: self.user.clone(),
            ..directories
        }
    }
}
