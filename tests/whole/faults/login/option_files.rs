//! Option files of the servers' own clients: what is not read is told.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::faults::fixture::home::{Home, SHORT};
use crate::faults::fixture::started::{Ended, Started};

/// Address at which nothing listens.
const NOWHERE: &str = "run --no-trace --server mysql://bench@127.0.0.1:1/";

/// Runs with a file of this name in the home directory of the user, which nobody else may read.
fn with(name: &str, text: &[u8], arguments: &str) -> Ended {
    let home = Home::new();
    let file = home.path().join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let mut command = home.logtrace(&format!("{NOWHERE} {arguments} {SHORT}"));
    command.env("HOME", home.path()).env_remove("LOGTRACE_PASSWORD");
    Started::new(command, home.path()).ended()
}

#[test]
fn files_that_an_option_file_names_are_not_passed_over_in_silence() {
    for line in ["!include /etc/other.cnf", "!includedir /etc/my.cnf.d"] {
        let elsewhere = format!("[client]\nuser=bench\n{line}\n");
        for arguments in ["", "--defaults-file .my.cnf"] {
            let words = [
                ".my.cnf has no password for user bench",
                "!include",
                "--password-file",
                "LOGTRACE_PASSWORD",
            ];
            with(".my.cnf", elsewhere.as_bytes(), arguments).refused(2, &words);
        }
        let here = format!("{elsewhere}password=geheim\n");
        with(".my.cnf", here.as_bytes(), "").refused(1, &["nothing listens on 127.0.0.1:1"]);
    }
}

#[test]
fn login_paths_are_not_read_and_that_is_told() {
    let refused = with(
        ".mylogin.cnf",
        b"\0\0\0\0\x14\xff\xfe",
        "--defaults-file .mylogin.cnf",
    );
    refused.refused(
        2,
        &[
            ".mylogin.cnf",
            "login paths of mysql_config_editor",
            "--password-file",
        ],
    );
    // Beside the other sources they are not looked at.
    with(".mylogin.cnf", b"\0\0\0\0", "").refused(1, &["nothing listens on 127.0.0.1:1"]);
}
