//! Profile of a real run, read by pprof itself.

use std::process::Command;

use crate::common::{beside_others, printed, run};

/// Sums of the samples' values as `pprof -raw` prints them: a line for each sample with its values before a colon.
fn sums(raw: &str) -> Vec<u64> {
    let (_, samples) = raw.split_once("Samples:\n").expect("a list of samples");
    let (samples, _) = samples.split_once("Locations").expect("a list of locations");
    let mut sums = vec![0; 2];
    for line in samples.lines().skip(1) {
        let values = line.split_once(':').map_or("", |(values, _)| values);
        let values: Option<Vec<u64>> = values
            .split_whitespace()
            .map(|value| value.parse().ok())
            .collect();
        for (sum, value) in sums.iter_mut().zip(values.unwrap_or_default()) {
            *sum += value;
        }
    }
    sums
}

#[test]
#[ignore = "long: Go compiles its pprof"]
fn pprof_reads_the_commit_time_to_the_nanosecond() {
    let _turn = beside_others();
    let ran = run("--server mariadb --rate 200/s --duration 2s --warmup 200ms --rows 1000");
    let document = ran.good();
    assert_eq!(ran.report("pprof"), "");
    let path = ran.file("commits.pb.gz");
    let pprof = |options: &[&str]| {
        let mut pprof = Command::new("go");
        pprof.args(["tool", "pprof"]).args(options).arg(&path);
        let found = pprof.output();
        assert!(found.is_ok(), "no go: scripts/setup --tests installs it");
        printed(&mut pprof)
    };
    let raw = pprof(&["-raw"]);
    assert!(raw.contains("commits/count time/nanoseconds[dflt]"), "{raw}");
    let total = document.commits.as_ref().unwrap().total;
    assert_eq!(sums(&raw)[1], total, "{raw}");
    // The outermost frames are whose work it was.
    let top = pprof(&["-top", "-cum", "-nodefraction=0"]);
    assert!(
        top.lines()
            .any(|line| line.trim_end().ends_with("100% own") || line.ends_with(" own")),
        "{top}"
    );
}
