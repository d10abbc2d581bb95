//! A device that fails: an fsync that returns an error is an error of the run, whatever the server makes of it.

use std::fs;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::CaveatKind;
use logtrace_server::enter_mount_namespace;
use logtrace_testkit::one_or_all;

use crate::common::{Ran, Running, SERVERS, alone, patiently, tells};

/// Runs a load whose logs of a class are on a device that fails in the window.
fn run_failing(server: &str, class: FileClass, disk: &SlowDisk) -> Ran {
    let run = Running::start(&format!(
        "run --server {server} --workload update_key --rate 100/s --duration 4s --warmup 500ms --tables 1 --rows 500 \
         --place {class}={}",
        disk.path().display()
    ));
    // The log has its first line when the window begins.
    let has_begun = |log: &str| log.lines().any(|line| line.starts_with("Tag="));
    patiently("the window", || {
        let log = run.dir().map(|dir| dir.join("latency.hlog"));
        log.and_then(|log| fs::read_to_string(log).ok())
            .is_some_and(|log| has_begun(&log))
    });
    disk.fail_syncs();
    run.ended()
}

fn is_an_error_of_the_run(class: FileClass) {
    let _alone = alone();
    enter_mount_namespace().unwrap();
    for server in one_or_all(&SERVERS) {
        let disk = SlowDisk::mount();
        let ran = run_failing(server, class, &disk);
        let document = ran.document();
        let case = format!("{server}, {class}: {}{}", ran.stdout(), ran.stderr());
        let calls = document.files().iter();
        let calls = calls.filter(|file| file.class == class && file.op == IoOp::Fsync);
        let (count, errors) = calls.fold((0, 0), |(count, errors), file| {
            (count + file.count, errors + file.errors)
        });
        assert!(0 < errors && errors < count, "{errors} of {count} failed: {case}");
        assert!(tells(&document, &CaveatKind::FileErrors), "{case}");
        assert_eq!(ran.code(), Some(3), "{case}");
        // The server gives up, or refuses the requests.
        let consequences = [
            CaveatKind::ServerDied,
            CaveatKind::ConnectionsLost,
            CaveatKind::Errors,
            CaveatKind::Unfinished,
        ];
        let told: Vec<&CaveatKind> = consequences
            .iter()
            .filter(|kind| tells(&document, kind))
            .collect();
        println!("{server}, {class}: {errors} of {count} fsyncs failed, {told:?}");
        assert!(!told.is_empty(), "{case}");
        let said = format!("{class} fsync ({errors})");
        assert!(ran.stdout().contains(&said), "{said}: {case}");
    }
}

#[test]
fn an_fsync_of_the_redo_log_that_fails_is_an_error_of_the_run() {
    is_an_error_of_the_run(FileClass::Redo);
}

#[test]
#[ignore = "long: a failed fsync again, of the other log"]
fn an_fsync_of_the_binlog_that_fails_is_an_error_of_the_run() {
    is_an_error_of_the_run(FileClass::Binlog);
}
