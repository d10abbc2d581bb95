//! Run directories that are none, or whose files do not belong together.

use std::fs;
use std::path::Path;

use super::run_dir::{OVER_TIME, RunDir, RunResults, read_requests};
use crate::document::run::results;
use crate::samples::{
    STARTED, directory, requests, run_config, run_outcome, save_requests, traced_run, untraced_run, window,
};

/// Returns the error of reading a run directory.
fn error(path: &Path) -> String {
    let read = RunDir::open(path).and_then(|dir| RunResults::read(&dir));
    format!("{:#}", read.unwrap_err())
}

#[test]
fn a_directory_that_is_missing_or_holds_no_run_is_said_to_be_none() {
    let parent = tempfile::tempdir().unwrap();
    let run = parent.path().join("run");
    for made in [false, true] {
        if made {
            fs::create_dir(&run).unwrap();
        }
        let text = error(&run);
        assert!(
            text.contains("run is not a run directory") && text.contains("run.json"),
            "{text}"
        );
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_named_with_the_option_to_choose_another() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "in the way").unwrap();
    for place in [file.as_path(), &file.join("below"), Path::new("/proc/nothing")] {
        let error = format!("{:#}", RunDir::create_named(place, "run").unwrap_err());
        for words in ["cannot create", &place.display().to_string(), "--out"] {
            assert!(error.contains(words), "{error}");
        }
    }
}

#[test]
fn a_damaged_run_json_is_named() {
    let parent = tempfile::tempdir().unwrap();
    let run_json = parent.path().join("run.json");
    for damaged in [
        &b""[..],
        b"{\"schema\": 1, \"star",
        b"[]",
        b"{\"schema\": 1}",
        b"\xff\xfe",
    ] {
        fs::write(&run_json, damaged).unwrap();
        let text = error(parent.path());
        assert!(text.contains(&run_json.display().to_string()), "{text}");
    }
    fs::write(&run_json, "{\"schema\": 99}").unwrap();
    let text = error(parent.path());
    assert!(
        text.contains("schema 99") && text.contains("version of logtrace"),
        "{text}"
    );
}

#[test]
fn numbers_that_were_changed_after_the_run_are_found() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = traced_run();
    run.causes[0].total += 1;
    let dir = directory(&parent.path().join("run"), &run);
    let text = error(dir.path());
    assert!(
        text.contains("run.json") && text.contains("does not add up"),
        "{text}"
    );
}

#[test]
fn commits_over_time_of_another_run_are_refused_and_missing_ones_are_of_an_older_version() {
    let parent = tempfile::tempdir().unwrap();
    let run = results(&run_config("update_key"), STARTED, run_outcome());
    let dir = directory(&parent.path().join("run"), &run.document);
    assert_eq!(RunResults::read(&dir).unwrap().over_time, None);
    let over_time = run.over_time().unwrap();
    let text = serde_json::to_string(&over_time).unwrap();
    dir.write(OVER_TIME, &text).unwrap();
    assert_eq!(RunResults::read(&dir).unwrap().over_time, Some(over_time));
    let other = directory(&parent.path().join("other"), &untraced_run());
    other.write(OVER_TIME, &text).unwrap();
    let text = error(other.path());
    assert!(
        text.contains(OVER_TIME) && text.contains("does not add up"),
        "{text}"
    );
}

#[test]
fn stacks_that_cannot_be_understood_are_named() {
    let parent = tempfile::tempdir().unwrap();
    let dir = directory(&parent.path().join("run"), &traced_run());
    dir.write("commits.folded", "no number").unwrap();
    let text = error(dir.path());
    assert!(
        text.contains("cannot understand") && text.contains("commits.folded"),
        "{text}"
    );
}

#[test]
fn requests_are_read_up_to_somewhat_more_than_the_run_counted_and_of_a_killed_run_all() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = untraced_run();
    let dir = directory(&parent.path().join("run"), &run);
    assert!(read_requests(&dir, &run).unwrap().is_none());
    let more: Vec<_> = requests()
        .into_iter()
        .cycle()
        .take(1_000 + (1 << 16) + 1)
        .collect();
    save_requests(&dir, &more[1..], window());
    assert_eq!(read_requests(&dir, &run).unwrap().unwrap().requests, &more[1..]);
    save_requests(&dir, &more, window());
    let text = format!("{:#}", read_requests(&dir, &run).unwrap_err());
    assert!(text.contains("more than the 66536 of the run"), "{text}");
    run.driver.as_mut().unwrap().requests = 0;
    assert_eq!(read_requests(&dir, &run).unwrap().unwrap().requests, more);
}
