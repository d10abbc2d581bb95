//! Results that cannot be written or printed.

use std::fs::{self, File, OpenOptions};
use std::process::Stdio;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::Started;
use crate::common::{beside_others, driver};

#[test]
fn run_directories_cannot_be_made() {
    let home = Home::new();
    fs::write(home.path().join("file"), "in the way").unwrap();
    for place in ["file", "file/below", "/proc/nothing"] {
        home.run(&format!("--out {place} {SHORT}"))
            .refused(1, &["cannot create", place, "--out"]);
    }
    home.assert_untouched();
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let _turn = beside_others();
    let home = Home::new();
    let run = format!("run --no-trace --server mariadb {SHORT}");
    let into_closed = |arguments: &str| {
        let mut command = home.logtrace(arguments);
        command.stdout(Stdio::piped());
        let mut started = Started::with_stdout(command, home.path());
        drop(started.child().stdout.take());
        started.ended()
    };
    for arguments in ["workloads", "--help", "doctor"] {
        let ended = into_closed(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments}");
    }
    let ended = into_closed(&run);
    assert!(driver(&ended.measured()).done > 0);
    assert_eq!(ended.stderr, "");
    home.assert_nothing_left();
}

#[test]
fn a_full_device_behind_stdout_is_an_error_and_what_was_measured_stays() {
    let _turn = beside_others();
    let home = Home::new();
    let run = format!("run --no-trace --server mariadb {SHORT}");
    let into_full = |arguments: &str| {
        let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = home.logtrace(arguments);
        command.stdout(full);
        Started::with_stdout(command, home.path()).ended()
    };
    into_full("workloads").refused(1, &["cannot print", "No space left"]);
    let ended = into_full(&run);
    ended.refused(1, &["cannot print", "report.html", "No space left"]);
    assert!(driver(&ended.document()).done > 0);
    home.assert_nothing_left();
}
