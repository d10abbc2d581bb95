//! Checks after a round and the next start.

use std::fs;
use std::path::{Path, PathBuf};

use logtrace_report::document::CaveatKind;

use super::round::{Round, Work};
use super::stage::Stage;
use crate::common::{patiently, tells};
use crate::faults::fixture::home::{SHORT, entries};
use crate::faults::fixture::started::{Ended, Started};

/// Exit codes of work that measured.
const MEASURED: [Option<i32>; 2] = [Some(0), Some(3)];

/// Fails if the work of a round ended in another way than its victim says.
pub(super) fn ended_well(stage: &Stage, round: &Round, ended: &Ended) {
    ended.reads_well();
    if !round.is_sudden() {
        // A signal may come before it listens for signals: then it has done nothing.
        let has_not_begun = ended.code.is_none() && ended.stderr.is_empty() && stage.run_dirs().is_empty();
        assert!(
            matches!(ended.code, Some(0 | 1 | 3)) || has_not_begun,
            "{:?}\n{}",
            ended.code,
            ended.stderr
        );
    }
}

/// Starts logtrace again, as the round says: a run on the server of the round, if that runs still.
pub(super) fn start_again(stage: &mut Stage, round: &Round, server_killed: bool) {
    let server = match round.work {
        Work::RunningServer if !server_killed => stage.running(round.flavor).address("root"),
        _ => round.flavor.as_str().to_owned(),
    };
    let arguments = match round.next_is_run {
        true => format!("run --server {server} --no-trace {SHORT}"),
        false => "doctor --clean".to_owned(),
    };
    let ended = Started::new(stage.home.logtrace(&arguments), stage.home.path()).ended();
    println!(
        "  {arguments}: {:?}\n{}{}",
        ended.code, ended.stdout, ended.stderr
    );
    ended.reads_well();
    let ended_well = MEASURED.contains(&ended.code);
    // Nobody can give back a server that has ended.
    let is_gone = server_killed && round.work == Work::RunningServer && !round.next_is_run;
    let says_so = || ended.stdout.contains("gone for good") && ended.stdout.contains("DROP DATABASE");
    assert!(
        ended_well || (is_gone && says_so()),
        "{arguments}: {}\n{}",
        ended.stdout,
        ended.stderr
    );
    if server_killed {
        stage.forget_notes();
    }
}

/// Fails if `logtrace report` neither shows a run nor says what is missing.
pub(super) fn runs_are_readable(stage: &Stage) {
    for dir in stage.run_dirs() {
        let report = stage.home.logtrace(&format!("report {}", dir.display()));
        let ended = Started::new(report, stage.home.path()).ended();
        if ended.code == Some(0) {
            assert!(!ended.stdout.is_empty(), "{}", dir.display());
        } else {
            let name = dir.to_string_lossy().into_owned();
            ended.refused(1, &[&name, "run.json"]);
            assert!(!dir.join("run.json").exists(), "{}", ended.stderr);
        }
    }
}

/// Finishes the study, and fails unless all of its measurements are there.
pub(super) fn study_goes_on(stage: &Stage, round: &Round) {
    let resumed = stage.study().join("state.json").exists();
    let more = if resumed { "--resume" } else { "" };
    let ended = Started::new(stage.study_command(round.flavor, more), stage.home.path()).ended();
    ended.reads_well();
    assert!(MEASURED.contains(&ended.code), "{}", ended.stderr);
    let turns: Vec<PathBuf> = stage.run_dirs();
    let measured = turns.iter().filter(|dir| is_measured(dir)).count();
    assert!(measured >= 2, "{measured} of {turns:?}\n{}", ended.stderr);
    fs::remove_dir_all(stage.study()).unwrap();
}

fn is_measured(dir: &Path) -> bool {
    let text = fs::read_to_string(dir.join("run.json")).unwrap_or_default();
    logtrace_report::parse_json(&text).is_ok_and(|document| {
        !tells(&document, &CaveatKind::UnfinishedRun) && !tells(&document, &CaveatKind::Interrupted)
    })
}

/// Fails if something of a round is left in the system: these control groups, for example.
pub(super) fn nothing_is_left(stage: &Stage, groups: &[PathBuf]) {
    stage.home.assert_nothing_left();
    patiently("the control groups to go", || {
        groups.iter().all(|group| !group.exists())
    });
}

/// Removes the run directories, which are checked.
pub(super) fn forget_runs(stage: &Stage) {
    for dir in entries(&stage.home.path().join("logtrace-runs")) {
        fs::remove_dir_all(dir).unwrap();
    }
}
