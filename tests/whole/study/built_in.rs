//! A cut of each built-in study: it is measured whole, and what it should find is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use logtrace_common::FileClass;
use logtrace_report::document::Document;
use serde_json::Value;

use super::studied::{Place, texts};
use crate::common::{alone, beside_others};
use logtrace_testkit::one_or_all;

/// A study, as far as it is measured here.
struct Cut {
    study: &'static str,
    /// Levels of its axes.
    only: &'static str,
    turns: usize,
    /// Two cells without their server: the first does more than the second.
    order: Option<(&'static str, &'static str)>,
    /// Two cells without their server: the first writes no slow log, the second does.
    logged: Option<(&'static str, &'static str)>,
}

/// The other server is measured in long runs, too.
const SERVERS: [&str; 2] = ["mariadb", "mysql"];

#[test]
#[ignore = "long: two cuts are measured in each run of the tests"]
fn a_cut_of_log_buffer_is_measured() {
    measure(&Cut {
        study: "log-buffer",
        only: "sql_log_bin=0,sql_log_bin=1,trx_commit=1",
        turns: 2,
        order: Some(("0_1", "1_1")),
        logged: None,
    });
}

#[test]
#[ignore = "long: two cuts are measured in each run of the tests"]
fn a_cut_of_max_write_is_measured() {
    measure(&Cut {
        study: "max-write",
        only: "connections=16,trx_commit=1,trx_commit=2",
        turns: 2,
        order: Some(("with-the-data_2_16", "with-the-data_1_16")),
        logged: None,
    });
}

#[test]
fn a_cut_of_commit_path_is_measured() {
    measure(&Cut {
        study: "commit-path",
        // The cache of the disk is that of all tests.
        only: "file_system=xfs,cache=as it is",
        turns: 2,
        order: Some(("xfs_with-the-data_as-it-is_16", "xfs_with-the-data_as-it-is_1")),
        logged: None,
    });
}

#[test]
#[ignore = "long: two cuts are measured in each run of the tests"]
fn a_cut_of_query_log_is_measured() {
    measure(&Cut {
        study: "query-log",
        only: "load=8,log=none,log=general file,log=slow table",
        turns: 3,
        order: Some(("none_8", "slow-table_8")),
        logged: None,
    });
}

#[test]
fn a_cut_of_binlog_fs_is_measured() {
    measure(&Cut {
        study: "binlog-fs",
        only: "file_system=ext4,binlog=off,binlog=sync 1",
        turns: 2,
        order: None,
        logged: None,
    });
}

#[test]
#[ignore = "long: two cuts are measured in each run of the tests"]
fn a_cut_of_slow_log_is_measured() {
    measure(&Cut {
        study: "slow-log",
        only: "connections=20,size=CPU-bound,log=off,log=all",
        turns: 2,
        order: None,
        logged: Some(("CPU-bound_20_off", "CPU-bound_20_all")),
    });
}

fn measure(cut: &Cut) {
    // Which of two rates is higher shows only where nothing else uses the disk.
    let _turn = match cut.order {
        Some(_) => alone(),
        None => beside_others(),
    };
    for server in one_or_all(&SERVERS) {
        cut.measure(server);
    }
}

impl Cut {
    fn measure(&self, server: &str) {
        let place = Place::with("");
        let mut study = place.study_of(self.study, "--duration 1500ms --warmup 300ms --repeats 1");
        study.args(["--only", &format!("server={server},{}", self.only)]);
        let output = study.output().unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {stdout}\n{stderr}",
            self.study
        );
        let measured = place.measured();
        assert_eq!(measured.len(), self.turns, "{}: {stdout}", self.study);
        if let Some((more, less)) = self.order {
            let [more, less] = [more, less].map(|cell| rate(of(&measured, server, cell)));
            assert!(
                more > less,
                "{}: {more} and {less} a second\n{stdout}",
                self.study
            );
        }
        if let Some((without, with)) = self.logged {
            let [without, with] = [without, with].map(|cell| slow_log(of(&measured, server, cell)));
            assert!(without == 0 && with > 0, "{without} and {with} bytes of slow log");
        }
        if self.study == "log-buffer" {
            stage_is_the_commit(server, &place, &measured);
        }
        place.assert_nothing_left();
    }
}

/// What the server calls the stage of the commit takes about as long as the commit.
fn stage_is_the_commit(server: &str, place: &Place, measured: &BTreeMap<String, Document>) {
    let stage = match server {
        "mysql" => "waiting for handler commit",
        _ => "Commit",
    };
    let name = format!("cells/{server}_1_1/1");
    let told = stage_mean(&place.out().join(&name), stage);
    let seen = measured[&name].commits.as_ref().unwrap();
    let ratio = told / (seen.total as f64 / seen.count as f64);
    assert!(
        (0.4..1.6).contains(&ratio),
        "{server}: {stage} {told} ns, {ratio}"
    );
}

/// Nanoseconds of a statement in a stage, as the server tells.
fn stage_mean(turn: &Path, stage: &str) -> f64 {
    let stages = fs::read_to_string(turn.join("stages.json")).unwrap();
    let stages: Value = serde_json::from_str(&stages).unwrap();
    let rows = stages.as_array().unwrap();
    let row = rows.iter().find(|row| row["stage"] == stage).unwrap();
    row["mean"].as_f64().unwrap()
}

/// The first turn of a cell.
fn of<'a>(measured: &'a BTreeMap<String, Document>, server: &str, cell: &str) -> &'a Document {
    let name = format!("cells/{server}_{cell}/1");
    let found = measured.get(&name);
    found.unwrap_or_else(|| panic!("no {name} among {:?}", measured.keys()))
}

fn rate(document: &Document) -> f64 {
    document.driver.as_ref().unwrap().achieved_per_s
}

fn slow_log(document: &Document) -> u64 {
    let files = document.files().iter();
    files
        .filter(|file| file.class == FileClass::SlowLog)
        .map(|file| file.bytes)
        .sum()
}
