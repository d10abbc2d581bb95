//! Commands that get nothing of logtrace's own rights and environment.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::install::os_user::ServerUser;

/// Variables that a program gets from the environment of logtrace. All others may hold secrets.
const PASSED_ON: [&str; 3] = ["PATH", "LANG", "TZ"];

/// Creates a command that runs as `user`, in a process group of its own, with an empty environment but for PATH, LANG and
/// TZ.
pub(crate) fn clean_command(program: &Path, user: &ServerUser) -> Command {
    let mut command = Command::new(program);
    command.env_clear().process_group(0);
    command.envs(
        PASSED_ON
            .iter()
            .filter_map(|name| Some((name, env::var_os(name)?))),
    );
    if user.change {
        // The standard library drops supplementary groups when root changes the user.
        command.uid(user.uid).gid(user.gid);
    }
    command
}
