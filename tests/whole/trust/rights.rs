//! A program with capabilities (setcap(8)): commands that only read and write files have the rights of their user alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::faults::fixture::home::Home;
use crate::trace::rights::with_rights;

/// Right that opens the files of everybody for reading.
const READS_ALL: &str = "dac_read_search";

#[test]
fn a_program_with_capabilities_reads_no_runs_of_others() {
    let home = Home::without_templates();
    let run = home.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::copy("crates/report/tests/data/run-schema-1.json", run.join("run.json")).unwrap();
    fs::set_permissions(&run, Permissions::from_mode(0o700)).unwrap();
    for arguments in [
        "report run",
        "compare run run",
        "collect run --out data",
        "join run run --out joined",
    ] {
        let ended = with_rights(&home, &[READS_ALL], arguments).ended();
        ended.refused(1, &["cannot read the run directory run", "belongs to user 0"]);
    }
    let plan = home.path().join("plan.toml");
    fs::copy("studies/rotation.toml", &plan).unwrap();
    fs::set_permissions(&plan, Permissions::from_mode(0o600)).unwrap();
    let ended = with_rights(&home, &[READS_ALL], "study show plan.toml").ended();
    ended.refused(2, &["plan.toml", "Permission denied"]);
}
