//! Where a password could be seen: arguments, notes, results and what is printed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::free_port;
use rustix::process::Signal;

use super::listening::{PASSWORD, listening};
use crate::common::beside_others;
use crate::faults::fixture::home::{Home, entries};
use crate::faults::fixture::started::Started;

/// Files below a directory, but those of private servers' templates.
fn files(directory: &Path) -> Vec<PathBuf> {
    let is_link = |path: &PathBuf| path.symlink_metadata().unwrap().is_symlink();
    let (directories, files): (Vec<_>, Vec<_>) = entries(directory)
        .into_iter()
        .filter(|path| !is_link(path))
        .partition(|path| path.is_dir());
    let below = directories.iter().flat_map(|directory| self::files(directory));
    files.into_iter().chain(below).collect()
}

/// Returns the files of a home that hold the password.
fn with_the_password(home: &Home) -> Vec<PathBuf> {
    let secret = PASSWORD.as_bytes();
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(secret.len()).any(|bytes| bytes == secret)
    };
    files(home.path()).into_iter().filter(holds).collect()
}

/// A run with the password from its environment and from a file, ended as it ends by itself or killed in its load.
#[test]
fn a_password_is_in_no_argument_note_or_output() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let port = free_port();
        let _server = listening(flavor, "127.0.0.1", port);
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("password");
        fs::write(&file, PASSWORD).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        let from_file = format!("--password-file {}", file.display());
        for (given, signal) in [("", Signal::INT), (&from_file, Signal::INT), ("", Signal::KILL)] {
            let home = Home::new();
            let mut run = home.logtrace(&format!(
                "run --record --server mysql://bench@127.0.0.1:{port}/?get-server-public-key=true --set sync_binlog=0 --tables 1 --rows 500 --duration 60s --rate 200/s {given}"
            ));
            if given.is_empty() {
                run.env("LOGTRACE_PASSWORD", PASSWORD);
            }
            let run = Started::new(run, home.path()).measuring();
            let arguments = fs::read(format!("/proc/{}/cmdline", run.id())).unwrap();
            assert!(!String::from_utf8(arguments).unwrap().contains(PASSWORD));
            assert_eq!(entries(&home.path().join("notes")).len(), 1);
            assert_eq!(with_the_password(&home), Vec::<PathBuf>::new());
            run.signal(signal);
            run.ended();
            assert_eq!(home.run_dirs().len(), 1);
            assert_eq!(with_the_password(&home), Vec::<PathBuf>::new());
        }
    }
}
