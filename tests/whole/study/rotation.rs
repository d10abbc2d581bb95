//! The stall of a binary log that rotates is found, and named.

use serde_json::Value;

use super::studied::{Place, texts};
use crate::common::{SERVERS, alone};
use logtrace_testkit::one_or_all;

#[test]
#[ignore = "long: a binary log of a gigabyte is written"]
fn a_rotation_of_a_large_log_that_nothing_synced_is_found_and_named() {
    // A gigabyte of log has to be written within the window: nothing else may use the disk.
    let _turn = alone();
    for server in one_or_all(&SERVERS) {
        let place = Place::with("");
        let output = place
            .study_of("rotation", &format!("--only server={server}"))
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
        // Small logs rotate all the time: a rotation is under way whenever the disk stalls for another reason.
        let longest = rotations
            .iter()
            .max_by_key(|stall| stall["length"].as_u64().unwrap())
            .unwrap_or_else(|| panic!("no rotation stalled commits:\n{stdout}"));
        let cell = longest["cell"].as_str().unwrap();
        assert!(cell.starts_with(&format!("{server}_1G_")), "{stdout}");
        assert!(longest["commits"].as_u64().unwrap() > 0, "{stdout}");
        let first = longest["causes"][0]["cause"].as_str().unwrap();
        assert!(first.starts_with("binlog fsync"), "{stdout}");
        let words: Vec<&str> = stdout.split_whitespace().collect();
        assert!(words.join(" ").contains("the binary log rotated"), "{stdout}");
        let series = std::fs::read_to_string(place.out().join("series.csv")).unwrap();
        assert_eq!(series.lines().count(), 1 + 2 * 16, "{series}");
        let drawn = drawn_stalls(&place);
        assert_eq!(drawn, stalls.len(), "a single repeat: each stall is in a panel");
        place.assert_nothing_left();
    }
}

/// Counts the stalls in the charts of throughput over time.
fn drawn_stalls(place: &Place) -> usize {
    let files = std::fs::read_dir(place.out())
        .unwrap()
        .map(|file| file.unwrap().path());
    let charts = files.filter(|path| path.to_string_lossy().ends_with("-over-time.svg"));
    let charts = charts.map(|path| std::fs::read_to_string(path).unwrap());
    charts
        .map(|chart| chart.matches("<title>stalled for").count())
        .sum()
}
