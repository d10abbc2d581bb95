//! Wrong usage: each command line is refused, with the words that help.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::{Ended, Started};
use crate::common::{beside_others, driver};

#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let home = Home::new();
    let ended = home.run("--server mysql://root:s3cret@localhost/");
    ended.refused(2, &["LOGTRACE_PASSWORD"]);
    assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
    home.assert_untouched();
}

/// `logtrace run` with 300 connections, started by a shell with these limits on open files.
fn limited(home: &Home, limits: &str) -> Ended {
    let logtrace = home.logtrace("");
    let script = format!(
        "{limits}; exec {} run --server mariadb --no-trace --connections 300 {SHORT}",
        logtrace.get_program().to_str().unwrap(),
    );
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(script);
    Started::new(home.at_home(shell, ""), home.path()).ended()
}

#[test]
fn a_low_soft_limit_on_open_files_is_raised_and_a_low_hard_one_is_named_before_a_server_starts() {
    let _turn = beside_others();
    let home = Home::new();
    limited(&home, "ulimit -n 300").refused(1, &["open files: at most 300", "ulimit -n", "--connections"]);
    home.assert_untouched();
    let document = limited(&home, "ulimit -Sn 256").measured();
    assert!(driver(&document).done > 0);
    home.assert_nothing_left();
}

#[test]
fn fetch_mysql_removes_nothing_that_it_did_not_make() {
    let place = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/fetch-mysql");
    let full = place.path().join("full");
    fs::create_dir(&full).unwrap();
    let canary = full.join("canary");
    fs::write(&canary, "alive").unwrap();
    symlink(&full, place.path().join("link")).unwrap();
    for prefix in ["full", "full/canary", "link"] {
        let output = Command::new(&script)
            .arg(place.path().join(prefix))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{prefix}: {stderr}");
        assert!(stderr.contains("choose another PREFIX"), "{prefix}: {stderr}");
    }
    assert_eq!(fs::read_to_string(canary).unwrap(), "alive");
}
