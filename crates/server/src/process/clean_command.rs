//! Commands that get nothing of logtrace's own rights and environment.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Variables that a program gets from the environment of logtrace. All others may hold secrets.
const PASSED_ON: [&str; 3] = ["PATH", "LANG", "TZ"];

/// User that a program runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunAs {
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
}

/// Creates a command that runs as another user, if there is one, in a process group of its own, with an empty environment
/// but for PATH, LANG and TZ.
pub(crate) fn clean_command(program: &Path, run_as: Option<RunAs>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().process_group(0);
    command.envs(
        PASSED_ON
            .iter()
            .filter_map(|name| Some((name, env::var_os(name)?))),
    );
    if let Some(RunAs { uid, gid }) = run_as {
        // The standard library drops supplementary groups when root changes the user.
        command.uid(uid).gid(gid);
    }
    command
}
