//! A study from its first turn to its last.

use super::studied::{PLAN, Place, texts};
use crate::common::{SERVERS, beside_others, driver, logtrace, printed, workload};
use logtrace_testkit::one_or_all;
use serde_json::Value;

#[test]
fn every_cell_is_measured_as_often_as_the_plan_says() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let place = Place::with(PLAN);
        let output = place.study(&format!("--only server={server}")).output().unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
        let documents = place.measured();
        let names: Vec<String> = documents.keys().cloned().collect();
        let expected = ["each/1", "each/2", "no/1", "no/2"].map(|turn| format!("cells/{server}_{turn}"));
        assert_eq!(names, expected, "{stderr}");
        for (name, document) in &documents {
            let sync = if name.contains("each") { "1" } else { "0" };
            assert_eq!(document.server.settings["sync_binlog"], sync, "{name}");
            assert!(
                driver(document).done > 0 && document.commits.as_ref().unwrap().count > 0,
                "{name}"
            );
        }
        // The same requests for the cells of a block, and others in the next.
        let seed = |turn: usize| workload(&documents[&expected[turn]]).seed;
        assert_eq!((seed(0), seed(1)), (seed(2), seed(3)));
        assert_ne!(seed(0), seed(1));
        assert!(stdout.contains("4 of 4 measurements"), "{stdout}");
        for file in [
            "report.md",
            "report.html",
            "tables.csv",
            "stalls.csv",
            "series.csv",
            "study.json",
        ] {
            assert!(place.out().join(file).exists(), "{file}");
        }
        let page = place.out().join("report.html");
        let printed = format!("report: {}", page.display());
        assert_eq!(stdout.lines().last(), Some(printed.as_str()), "{stdout}");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(
            page.contains("<div class=\"answer\">"),
            "it begins with the answer"
        );
        for run in &expected {
            let run = format!("{run}/report.html");
            assert!(page.contains(&format!("href=\"{run}\"")), "no link to {run}");
            assert!(place.out().join(run).is_file());
        }
        let study = std::fs::read_to_string(place.out().join("study.json")).unwrap();
        let study: Value = serde_json::from_str(&study).unwrap();
        assert!(
            study["time"]["measuring_share"].as_f64().unwrap() > 0.05,
            "{study}"
        );
        assert_compare_agrees(&place, server, &study);
        place.assert_nothing_left();
    }
}

/// Checks that `compare` says of the study's runs what the study says.
fn assert_compare_agrees(place: &Place, server: &str, study: &Value) {
    let run = |cell: &str, repeat: u32| place.out().join(format!("cells/{server}_{cell}/{repeat}"));
    let mut command = logtrace();
    command.arg("compare").args([run("no", 1), run("no", 2)]);
    command.arg("--with").args([run("each", 1), run("each", 2)]);
    let compared: Value = serde_json::from_str(&printed(command.args(["--format", "json"]))).unwrap();
    let requests = &compared["figures"][0];
    assert_eq!(requests["figure"], "requests");
    let entries = study["tables"][0]["grids"][0]["rows"][0]["entries"]
        .as_array()
        .unwrap();
    let mut entries = entries.iter().filter(|entry| !entry["comparison"].is_null());
    let entry = entries.next().expect("one cell has a baseline");
    let near =
        |one: &Value, other: &Value| (one.as_f64().unwrap() / other.as_f64().unwrap() - 1.0).abs() < 1e-7;
    let comparison = &entry["comparison"];
    assert!(
        near(&requests["change"], &comparison["value"]),
        "{requests} {entry}"
    );
    for end in ["low", "high"] {
        let (one, other) = (&requests["interval"][end], &comparison["interval"][end]);
        assert!(near(one, other), "{requests} {entry}");
    }
    assert_eq!(requests["verdict"], entry["verdict"], "{requests} {entry}");
}
