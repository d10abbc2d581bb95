//! Processes that end, and programs with more places than a server has.

use std::fs::File;
use std::path::PathBuf;

use logtrace_common::Detail;
use logtrace_tracer::{Tracer, TracerConfig, check_program};
use tempfile::TempDir;

use crate::optimised::{compiled, execute, started};
use crate::turn::turn;
use crate::{commits, config_at, held, traced_with};

/// Most places of a probe.
const MOST: usize = 64;

/// Compiles the program with this number of further functions of a name.
fn with_functions(directory: &TempDir, number: usize, declaration: &str) -> PathBuf {
    let more = directory.path().join("more.h");
    let functions = (0..number).map(|number| {
        let kind = format!("struct T{number};\n");
        kind + &declaration.replace("TYPE", &format!("T{number}"))
    });
    std::fs::write(&more, functions.collect::<String>()).unwrap();
    compiled(directory, &format!("-O2 -include {}", more.display()))
}

#[test]
fn a_process_that_ended_is_an_error_and_its_program_is_not_touched() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let mut server = started(&compiled(&directory, "-O2"));
    let process = held(&server);
    server.kill().unwrap();
    server.wait().unwrap();
    let refused = Tracer::start(TracerConfig::new(process), |_: &[u8]| ()).err();
    let message = refused.expect("it has ended").to_string();
    let told = format!("process {} ended while it was looked at", server.id());
    assert!(message.contains(&told), "{message}");
}

#[test]
fn a_probe_with_too_many_places_has_none_and_the_others_stay() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let many =
        "struct THD; __attribute__((used)) static bool trans_xa_prepare(THD *, TYPE *) { return true; }\n";
    let mut server = started(&with_functions(&directory, 2_000, many));
    let config = TracerConfig {
        process: held(&server),
        ..config_at(Detail::Full)
    };
    let (records, account) = traced_with(config, || execute(&mut server));
    server.wait().unwrap();
    assert_eq!(commits(&records, server.id()).len(), 60);
    let told = format!("more than {MOST} places");
    for name in ["XA PREPARE begin", "XA PREPARE end"] {
        let probe = account.probes.iter().find(|probe| probe.name == name).unwrap();
        let missing = probe.missing.as_ref().unwrap();
        assert!(missing.contains(&told), "{name}: {missing}");
    }
}

#[test]
fn a_program_with_too_many_functions_that_commit_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let many = "struct THD; __attribute__((used)) static void ha_commit_trans(THD *, TYPE *) {}\n";
    let checked = |number| check_program(File::open(with_functions(&directory, number, many)));
    checked(MOST / 2).unwrap();
    let refused = checked(MOST).unwrap_err().to_string();
    assert!(
        refused.contains("ha_commit_trans(THD*") && refused.contains(&format!("more than {MOST} places")),
        "{refused}"
    );
}
