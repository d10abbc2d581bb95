//! Plans that cannot be measured are refused before anything starts, with file, line and remedy.

use super::studied::{PLAN, Place, texts};
use crate::common::{SERVERS, logtrace};

/// The line of the first text of the plan that contains `part`, from 1.
fn line_of(plan: &str, part: &str) -> usize {
    plan.lines().position(|line| line.contains(part)).unwrap() + 1
}

fn refused(plan: &str, arguments: &str, part: &str, told: &[&str]) {
    let place = Place::with(plan);
    let output = place.study(arguments).output().unwrap();
    let (_, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let at = format!("plan.toml:{}: ", line_of(plan, part));
    assert!(stderr.contains(&at), "{at} in {stderr}");
    for words in told {
        assert!(stderr.contains(words), "{words:?} in {stderr}");
    }
    assert!(place.documents().is_empty(), "{stderr}");
    place.assert_nothing_left();
}

#[test]
fn what_is_wrong_with_a_plan_is_told_with_its_line() {
    refused(
        &PLAN.replace("rows = 2000", "rose = 2000"),
        "",
        "rose",
        &["rose", "choose one of"],
    );
    let empty = format!("{PLAN}\n[[axis]]\nname = \"empty\"\n");
    refused(&empty, "", "\"empty\"", &["no level"]);
    refused(
        &PLAN.replace("baseline.sync = \"no\"", "baseline.sync = \"never\""),
        "",
        "baseline",
        &["never"],
    );
}

#[test]
fn a_server_that_is_not_here_is_told_with_its_line() {
    let plan = PLAN.replace(
        "server = \"mariadb\"",
        "server = \"/nowhere/mariadbd\"\nflavor = \"mariadb\"",
    );
    refused(&plan, "", "/nowhere/mariadbd", &["/nowhere/mariadbd"]);
}

#[test]
fn variables_that_the_server_refuses_are_told_with_their_line_before_anything_is_measured() {
    let _turn = crate::common::beside_others();
    let unknown = PLAN.replace("settings.sync_binlog = 1", "settings.sync_binlogs = 1");
    refused(
        &unknown,
        "--only server=mysql",
        "sync_binlogs",
        &["sync_binlogs", "each"],
    );
    let only_at_start = PLAN.replace(
        "settings.sync_binlog = 1",
        "settings.innodb_page_cleaners = \"many\"",
    );
    refused(
        &only_at_start,
        "--only server=mysql",
        "page_cleaners",
        &["innodb_page_cleaners"],
    );
}

#[test]
fn session_variables_and_file_systems_that_cannot_be_had_are_told_with_their_line() {
    let _turn = crate::common::beside_others();
    for server in SERVERS {
        let only = format!("--only server={server}");
        let session = |text: &str| PLAN.replace("settings.sync_binlog = 1", text);
        refused(
            &session("session.sql_log_bin = \"perhaps\""),
            &only,
            "perhaps",
            &["session.sql_log_bin", "each"],
        );
        refused(
            &session("session.sql_log = 1"),
            &only,
            "sql_log = 1",
            &["sql_log"],
        );
    }
    for (text, told) in [
        ("{ kind = \"ext4\", mount = \"colour=red\" }", "mount"),
        ("{ kind = \"xfs\", mkfs = [\"-m\", \"colour=red\"] }", "mkfs"),
    ] {
        let plan = PLAN.replace("settings.sync_binlog = 1", &format!("file_system = {text}"));
        refused(&plan, "--only server=mariadb", "colour", &[told, "colour"]);
    }
    let plan = PLAN.replace("settings.sync_binlog = 1", "place.redo = \"/nowhere\"");
    refused(
        &plan,
        "--only server=mysql",
        "/nowhere",
        &["place.redo", "create the directory first"],
    );
}

#[test]
fn levels_and_studies_that_are_not_there_are_told() {
    let place = Place::with(PLAN);
    for (arguments, told) in [
        ("--only sync=never", "no, each"),
        ("--only colour=red", "server, sync"),
    ] {
        let output = place.study(arguments).output().unwrap();
        let (_, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(told), "{stderr}");
    }
    let output = logtrace().args(["study", "slow"]).output().unwrap();
    let (_, stderr) = texts(&output);
    assert!(stderr.contains("slow-log, query-log"), "{stderr}");
}

#[test]
fn a_study_is_shown_without_a_server_and_without_root() {
    let output = logtrace().args(["study", "list"]).output().unwrap();
    let (stdout, stderr) = texts(&output);
    let built_in = [
        "slow-log",
        "query-log",
        "binlog-fs",
        "log-buffer",
        "max-write",
        "rotation",
        "commit-path",
        "redo-wait",
        "redo-buffer",
    ];
    for name in built_in {
        assert!(stdout.contains(name), "{stdout}{stderr}");
    }
    let by_path = concat!(env!("CARGO_MANIFEST_DIR"), "/studies/same.toml");
    for name in built_in.into_iter().chain([by_path]) {
        for scale in ["smoke", "quick", "full"] {
            let output = logtrace()
                .args(["study", "show", name, "--scale", scale])
                .output()
                .unwrap();
            let (shown, stderr) = texts(&output);
            let of = |what: &str| shown.contains(&format!("{what} at the scale {scale}: about"));
            assert!(of("measurements") || of("short turns"), "{shown}{stderr}");
        }
    }
}
