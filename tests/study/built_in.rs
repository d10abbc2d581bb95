//! A cut of each built-in study, as far as it can be had here.

use crate::common::{SERVERS, alone};
use crate::studied::{Place, texts};

/// The study, and the levels that are measured.
const CUTS: [(&str, &str); 2] = [
    ("log-buffer", "sql_log_bin=0,sql_log_bin=1,trx_commit=1"),
    ("max-write", "connections=16,trx_commit=1,trx_commit=2"),
];

#[test]
fn a_cut_of_each_is_measured_on_both_servers() {
    let _alone = alone();
    for (name, only) in CUTS {
        for server in SERVERS {
            let place = Place::with("");
            let arguments = format!("--only server={server},{only} --duration 1s --warmup 200ms --repeats 1");
            let output = place.study_of(name, &arguments).output().unwrap();
            let (stdout, stderr) = texts(&output);
            assert_eq!(output.status.code(), Some(0), "{name}: {stdout}\n{stderr}");
            assert!(!place.measured().is_empty(), "{name}: {stdout}");
            place.assert_nothing_left();
        }
    }
}
