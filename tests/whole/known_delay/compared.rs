//! Runs of real servers are compared: a known delay is found by name and size, and a missing one is not made up.

use std::time::Duration;

use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_server::enter_mount_namespace;
use logtrace_testkit::one_or_all;
use serde_json::Value;

use crate::common::{Ran, SERVERS, alone, logtrace, printed, run};

/// Delay of each fsync of the binary log.
const DELAY: Duration = Duration::from_millis(5);

/// Measures a server with the binary log on one file system and the redo log on another one.
fn measured(server: &str, binlog: &SlowDisk, redo: &SlowDisk) -> Ran {
    let (binlog, redo) = (binlog.path().display(), redo.path().display());
    let ran = run(&format!(
        "--server {server} --workload update_key --rate 50/s --connections 1 --duration 22s --warmup 300ms --tables 1 \
         --rows 500 --place binlog={binlog} --place redo={redo}"
    ));
    ran.good();
    ran
}

/// Compares runs, and returns the comparison as JSON and as text. Their pages must tell the same of commits.
fn compared(a: &[Ran], b: &[Ran]) -> (Value, String) {
    let text = |file: &str, format: &str| {
        let paths = |runs: &[Ran]| runs.iter().map(|ran| ran.file(file)).collect::<Vec<_>>();
        let mut command = logtrace();
        command.arg("compare").args(paths(a));
        match b {
            [one] => command.arg(one.file(file)),
            _ => command.arg("--with").args(paths(b)),
        };
        printed(command.args(["--format", format]))
    };
    let parsed = |file: &str| -> Value { serde_json::from_str(&text(file, "json")).unwrap() };
    let (of_dirs, of_pages) = (parsed(""), parsed("report.html"));
    assert_eq!(of_dirs["settings"], of_pages["settings"]);
    // Pages have no requests over time, but all of the commits.
    for part in ["tree", "causes", "kinds"] {
        assert_eq!(of_dirs[part], of_pages[part], "{part}");
    }
    assert_sums(&of_dirs);
    (of_dirs, text("", "terminal"))
}

/// Checks that the branches of the tree sum to the mean commits.
fn assert_sums(comparison: &Value) {
    let mut figures = comparison["figures"].as_array().unwrap().iter();
    let mean = figures.find(|row| row["figure"] == "commit_mean").unwrap();
    for side in ["a", "b"] {
        let branches = comparison["tree"].as_array().unwrap().iter();
        let sum: f64 = branches.map(|branch| branch[side].as_f64().unwrap()).sum();
        let mean = mean[side].as_f64().unwrap();
        assert!((sum - mean).abs() < 1e-6 * mean, "{side}: {sum} {mean}");
    }
}

#[test]
fn a_known_delay_between_two_runs_is_found_by_name_and_size() {
    let _alone = alone();
    // For this thread, and so for the program and the server.
    enter_mount_namespace().unwrap();
    // The disk of this machine makes no difference: the redo log is on such a file system too, a prompt one.
    let (slow, prompt) = (SlowDisk::mount(), SlowDisk::mount());
    for server in one_or_all(&SERVERS) {
        let without = measured(server, &slow, &prompt);
        slow.delay_syncs(DELAY);
        let with = measured(server, &slow, &prompt);
        slow.delay_syncs(Duration::ZERO);
        let (comparison, text) = compared(&[without], &[with]);
        let largest = &comparison["causes"][0];
        assert!(
            largest["file"] == "binlog" && largest["op"] == "fsync",
            "{server}: {text}"
        );
        assert_eq!(largest["verdict"], "differs", "{server}: {text}");
        let more_ns = largest["b"].as_f64().unwrap() - largest["a"].as_f64().unwrap();
        let share = more_ns / DELAY.as_nanos() as f64;
        assert!(
            (0.8..1.25).contains(&share),
            "{server}: {share} of the delay\n{text}"
        );
        let interval = &largest["interval"];
        let (low, high) = (
            interval["low"].as_f64().unwrap(),
            interval["high"].as_f64().unwrap(),
        );
        assert!(low < more_ns && more_ns < high, "{server}: {text}");
        assert!(text.contains("one run each"), "{server}: {text}");
        // The load was far below what the server can do.
        let requests = &comparison["figures"][0];
        assert!(
            requests["is_held"] == true && requests["verdict"] == "same",
            "{server}: {text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{server}: {text}"
        );
        // What this machine did to a run may differ.
        let settings = comparison["settings"].as_array().unwrap().iter();
        let names = settings.map(|setting| setting["name"].as_str().unwrap());
        let names: Vec<&str> = names.filter(|&name| name != "caveats").collect();
        assert_eq!(names, [""; 0], "{server}: {text}");
    }
}

/// Delay of each fsync of the redo log that is made longer by a share of itself.
const BASE: Duration = Duration::from_millis(4);

#[test]
#[ignore = "long: three repeats of each side, of two sizes"]
fn a_redo_fsync_that_is_slower_by_a_known_share_is_found_by_name_and_size() {
    let _alone = alone();
    enter_mount_namespace().unwrap();
    let (redo, binlog) = (SlowDisk::mount(), SlowDisk::mount());
    for (server, percent) in [("mariadb", 5), ("mariadb", 20), ("mysql", 5), ("mysql", 20)] {
        let more = BASE * percent / 100;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            for (delay, runs) in [(BASE, &mut a), (BASE + more, &mut b)] {
                redo.delay_syncs(delay);
                runs.push(measured(server, &binlog, &redo));
            }
        }
        redo.delay_syncs(Duration::ZERO);
        let (comparison, text) = compared(&a, &b);
        println!("{server}, {percent} %:\n{text}");
        let largest = &comparison["causes"][0];
        assert!(
            largest["file"] == "redo" && largest["op"] == "fsync",
            "{server}: {text}"
        );
        let end = |name: &str| largest["interval"][name].as_f64().unwrap();
        let expected = more.as_nanos() as f64;
        assert!(
            end("low") <= 1.1 * expected && 0.9 * expected <= end("high"),
            "{server}: {expected} ns\n{text}"
        );
        if percent == 20 {
            assert_eq!(largest["verdict"], "differs", "{server}: {text}");
        }
    }
}
