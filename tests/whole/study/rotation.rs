//! The stall of a binary log that rotates is found, and named, on both servers.

use serde_json::Value;

use super::studied::{Place, texts};
use crate::common::{SERVERS, beside_others};

#[test]
fn a_rotation_of_a_large_log_that_nothing_synced_is_found_and_named() {
    let _turn = beside_others();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/studies/rotation.toml");
    for server in SERVERS {
        let place = Place::with("");
        let output = place
            .study_of(plan, &format!("--only server={server}"))
            .output()
            .unwrap();
        let (stdout, stderr) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{stdout}\n{stderr}");
        let study = std::fs::read_to_string(place.out().join("study.json")).unwrap();
        let study: Value = serde_json::from_str(&study).unwrap();
        let stalls = study["stalls"].as_array().unwrap();
        let rotations: Vec<&Value> = stalls
            .iter()
            .filter(|stall| stall["kind"] == "binlog_rotation")
            .collect();
        assert!(!rotations.is_empty(), "{stdout}");
        for stall in rotations {
            assert_eq!(stall["cell"], format!("{server}_1G"), "{stdout}");
            assert!(stall["commits"].as_u64().unwrap() > 0, "{stdout}");
            let first = stall["causes"][0]["cause"].as_str().unwrap();
            assert!(first.starts_with("binlog fsync"), "{stdout}");
        }
        let words: Vec<&str> = stdout.split_whitespace().collect();
        assert!(words.join(" ").contains("the binary log rotated"), "{stdout}");
        let series = std::fs::read_to_string(place.out().join("series.csv")).unwrap();
        assert_eq!(series.lines().count(), 1 + 2 * 12, "{series}");
        place.assert_nothing_left();
    }
}
