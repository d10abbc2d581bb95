//! Studies whose server is killed, or whose disk is full, in the middle: what that cost is measured again, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::process::Child;

use rustix::process::Signal;
use serde_json::Value;

use super::studied::{PLAN, Place, texts};
use crate::common::disk::Disk;
use crate::common::{SERVERS, beside_others, patiently, send, server_of};
use logtrace_testkit::one_or_all;

#[test]
fn a_server_that_is_killed_costs_its_turn_alone() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let place = Place::with(PLAN);
        let arguments = format!("--only server={server}");
        let mut child = place.study(&arguments).spawn().unwrap();
        let killed = second_turn(&place, &mut child);
        send(server_of(&child).unwrap(), Signal::KILL);
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(3), "{stdout}\n{stderr}");
        assert!(stdout.contains("3 of 4 measurements"), "{stdout}");
        assert!(!place.measured().contains_key(&killed), "{killed}: {stderr}");
        place.assert_nothing_left();

        resumed(&place, &arguments);
        assert!(place.measured().contains_key(&killed), "{killed}");
        let uninterrupted = Place::with(PLAN);
        let output = uninterrupted.study(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", texts(&output).1);
        assert_eq!(shape(&place), shape(&uninterrupted));
        assert!(shape(&place).iter().any(|one| one.contains("measured")));
    }
}

#[test]
#[ignore = "long: the study waits a minute for the server"]
fn a_server_that_stands_still_is_replaced() {
    let _turn = beside_others();
    for server in SERVERS {
        let place = Place::with(PLAN);
        let arguments = format!("--only server={server}");
        let mut child = place.study(&arguments).spawn().unwrap();
        second_turn(&place, &mut child);
        send(server_of(&child).unwrap(), Signal::STOP);
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(3), "{stdout}\n{stderr}");
        // A connection is refused earlier than an answer on it is given up.
        assert!(stderr.contains("does not answer"), "{stderr}");
        place.assert_nothing_left();
        resumed(&place, &arguments);
    }
}

#[test]
fn a_disk_that_is_full_costs_what_is_measured_meanwhile() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let place = Place::with(&PLAN.replace("update_key", "insert"));
        let arguments = format!("--only server={server},sync=no");
        fs::create_dir_all(place.home()).unwrap();
        let disk = Disk::ext4(&place.home().join("instances"));
        let mut child = place.study(&arguments).spawn().unwrap();
        second_turn(&place, &mut child);
        disk.fill();
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(3), "{stdout}\n{stderr}");
        assert!(stdout.contains("1 of 2 measurements"), "{stdout}");
        assert!(stderr.contains("full"), "{stderr}");
        disk.empty();
        resumed(&place, &arguments);
        drop(disk);
        place.assert_nothing_left();
    }
}

/// Waits until the second turn has begun; its name.
fn second_turn(place: &Place, child: &mut Child) -> String {
    place.wait_for(1, child);
    patiently("the second turn", || place.documents().len() > 1);
    let measured = place.measured();
    let begun = place.documents().into_keys();
    let mut begun = begun.filter(|name| !measured.contains_key(name));
    begun.next().unwrap()
}

/// Goes on with a study, to its end; what was measured stays as it was.
fn resumed(place: &Place, arguments: &str) {
    let before = place.measured();
    let output = place.study(&format!("{arguments} --resume")).output().unwrap();
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
    let after = place.measured();
    for (name, document) in &before {
        assert_eq!(&after[name], document, "{name} was measured again");
    }
    assert!(after.len() > before.len(), "{stdout}\n{stderr}");
}

/// All that the tables say but for figures and causes: titles, cells, and what became of each.
fn shape(place: &Place) -> Vec<String> {
    let study = fs::read_to_string(place.out().join("study.json")).unwrap();
    let study: Value = serde_json::from_str(&study).unwrap();
    let mut shape = Vec::new();
    collect(&study["tables"], &mut shape);
    shape
}

fn collect(value: &Value, shape: &mut Vec<String>) {
    const TOLD: [&str; 6] = ["name", "title", "cell", "state", "repeats", "notes"];
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, shape)),
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.iter().collect();
            for (name, value) in fields {
                if TOLD.contains(&name.as_str()) {
                    shape.push(format!("{name} {value}"));
                }
                collect(value, shape);
            }
        }
        _ => {}
    }
}
