//! A study with short turns on servers that run side by side.

use std::fs;

use serde_json::Value;

use super::studied::{PLAN, Place, texts};
use crate::common::beside_others;
use crate::page::accessibility::assert_accessible;
use crate::page::browser;

#[test]
fn each_block_has_a_turn_of_each_cell_and_a_finished_study_measures_nothing_again() {
    let _turn = beside_others();
    let options = "repeats = 2\nwindows = 1\nturns = 2\nturn = \"500ms\"\nwash_in = \"200ms\"\n";
    let place = Place::with(&PLAN.replace("repeats = 2\n", options));
    let output = place.study("").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert!(
        stdout.contains("4 of 4 measurements done · 16 of 16 short turns done"),
        "{stdout}"
    );
    assert_eq!(place.measured().len(), 4, "one window of each cell");
    let lines = fs::read_to_string(place.out().join("turns.jsonl")).unwrap();
    let blocks: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(blocks.len(), 4, "both servers are in each block: {lines}");
    let mut before = Value::Null;
    for block in &blocks {
        let turns = block["turns"].as_array().unwrap();
        let mut cells: Vec<&str> = turns.iter().map(|turn| turn["cell"].as_str().unwrap()).collect();
        cells.sort_unstable();
        assert_eq!(cells, ["mariadb_each", "mariadb_no", "mysql_each", "mysql_no"]);
        for turn in turns {
            assert!(turn["figures"]["throughput"].as_f64().unwrap() > 0.0, "{turn}");
            assert_eq!(turn["before"], before);
            before = turn["cell"].clone();
        }
    }
    let study = fs::read_to_string(place.out().join("study.json")).unwrap();
    let study: Value = serde_json::from_str(&study).unwrap();
    assert_eq!(study["tables"][0]["of_turns"], 4, "{study}");
    assert!(study["tables"][0]["visible"]["worst"].as_f64().unwrap() > 1.0);
    let page = fs::read_to_string(place.out().join("report.html")).unwrap();
    let shown = browser::open(&page, "from=mysql_no&to=mysql_each", "");
    assert_eq!(shown.messages, [""; 0]);
    assert_eq!(browser::wider_than_a_telephone(&page, ""), "");
    assert_eq!(browser::scrolled_on_a_telephone(&page), "");
    assert_accessible(&page, "from=mysql_no&to=mysql_each");
    let (_, difference) = shown
        .html
        .split_once("<section id=\"difference\">")
        .expect("two cells are compared");
    let (difference, _) = difference.split_once("</section>").unwrap();
    for part in ["</i>all</td>", "</i>binlog fsync, ", "<td class=\"n\">+"] {
        assert!(difference.contains(part), "no {part} in {difference}");
    }
    place.assert_nothing_left();
    let again = place.study("--resume").output().unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(place.out().join("turns.jsonl")).unwrap(),
        lines
    );
    repeats_are_added(&place, &lines);
}

/// A finished study goes on with more repeats, and not with fewer.
fn repeats_are_added(place: &Place, earlier: &str) {
    let output = place.study("--resume --repeats 3").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert!(stdout.contains("24 of 24 short turns done"), "{stdout}");
    let lines = fs::read_to_string(place.out().join("turns.jsonl")).unwrap();
    let added = lines.strip_prefix(earlier).expect("earlier turns stay");
    assert_eq!(added.matches("\"repeat\":3,").count(), 2, "{added}");
    let fewer = place.study("--resume --repeats 2").output().unwrap();
    assert_eq!(fewer.status.code(), Some(2), "{}", texts(&fewer).1);
    place.assert_nothing_left();
}

#[test]
fn a_dry_run_says_from_equal_turns_which_effect_the_study_would_show() {
    let _turn = beside_others();
    let options = "repeats = 4\nturns = 2\nturn = \"500ms\"\nwash_in = \"200ms\"\neffect = \"0.2%\"\n";
    // A low rate leaves the CPUs to the tests beside this one.
    let plan = PLAN.replace("repeats = 2\n", options);
    let place = Place::with(&plan.replace("rate = \"max\"", "rate = \"100/s\""));
    let output = place
        .study("--dry-run --only server=mysql,sync=no")
        .output()
        .unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    let noise = stdout.lines().find(|line| line.contains("mysql_no"));
    assert!(
        noise.is_some_and(|line| line.contains("% of response_mean, 12 pairs")),
        "{stdout}"
    );
    assert!(
        stdout.contains("4 repeats of 2 turns: 8 of 10 such studies"),
        "{stdout}"
    );
    assert!(stdout.contains("The plan's aim is 0.2 %, which"), "{stdout}");
    assert!(!place.out().exists(), "it measured no cell");
    place.assert_nothing_left();
}

#[test]
#[ignore = "long: a study of many connections"]
fn a_turn_with_many_connections_leaves_room_for_the_next_one() {
    let _turn = beside_others();
    let options = "repeats = 1\nturns = 6\nturn = \"500ms\"\nwash_in = \"200ms\"\n";
    let plan = PLAN.replace("repeats = 2\n", options);
    // Both servers allow 151 connections by default.
    let plan = plan.replace("name = \"each\"\n", "name = \"each\"\nconnections = 400\n");
    assert!(plan.contains("connections = 400"), "{plan}");
    let place = Place::with(&plan);
    // On a single CPU the server takes longest to end its connections.
    let output = place.study("--cpus server=0 client=1").output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    assert!(stdout.contains("24 of 24 short turns done"), "{stdout}\n{stderr}");
    place.assert_nothing_left();
}
