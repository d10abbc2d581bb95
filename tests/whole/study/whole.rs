//! A study from its first turn to its last.

use super::studied::{PLAN, Place, texts};
use crate::common::{SERVERS, beside_others, driver, workload};
use logtrace_testkit::one_or_all;

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
        let study = std::fs::read_to_string(place.out().join("study.json")).unwrap();
        let study: serde_json::Value = serde_json::from_str(&study).unwrap();
        assert!(
            study["time"]["measuring_share"].as_f64().unwrap() > 0.05,
            "{study}"
        );
        place.assert_nothing_left();
    }
}
