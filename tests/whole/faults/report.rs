//! Run directories that are none, or no longer.

use std::fs;

use super::fixture::home::Home;
use super::fixture::started::Started;

#[test]
fn a_directory_that_cannot_be_reported() {
    let home = Home::new();
    let run = home.path().join("run");
    fs::create_dir(&run).unwrap();
    let report = |words: &[&str]| {
        let command = home.logtrace("report run");
        Started::new(command, home.path()).ended().refused(1, words);
    };
    report(&["run is not a run directory", "run.json"]);
    for damaged in [
        &b""[..],
        b"{\"schema\": 1, \"star",
        b"[]",
        b"{\"schema\": 1}",
        b"\xff\xfe",
    ] {
        fs::write(run.join("run.json"), damaged).unwrap();
        report(&["run/run.json"]);
    }
    fs::write(run.join("run.json"), "{\"schema\": 99}").unwrap();
    report(&["schema 99", "version of logtrace"]);
    fs::remove_file(run.join("run.json")).unwrap();
    fs::remove_dir(&run).unwrap();
    report(&["run is not a run directory"]);
}
