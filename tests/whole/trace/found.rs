//! A server is found by its unit and by its data directory, beside another one.

use std::process;

use logtrace_common::Flavor;
use logtrace_laboratory::cgroup::Cgroup;
use logtrace_laboratory::foreign::Foreign;

use crate::common::{Running, alone};

#[test]
fn a_server_is_found_by_its_unit_and_by_its_data_directory() {
    // Alone: tests that run side by side would share the control group, whose name has only the process.
    let _turn = alone();
    let (in_unit, other) = (Foreign::start(Flavor::MariaDb), Foreign::start(Flavor::MySql));
    let group = Cgroup::new("cpu").unwrap();
    group.add(in_unit.pid()).unwrap();
    let unit = format!("logtrace-lab-{}", process::id());
    let data_of = |server: &Foreign| server.ask::<String>("SELECT @@datadir");
    let linked = tempfile::tempdir().unwrap();
    let link = linked.path().join("data");
    std::os::unix::fs::symlink(data_of(&other), &link).unwrap();
    for (way, pid) in [
        (format!("--unit {unit}"), in_unit.pid()),
        (format!("--data-dir {}", data_of(&in_unit)), in_unit.pid()),
        (format!("--data-dir {}", link.display()), other.pid()),
    ] {
        let ran = Running::start(&format!("trace {way} --duration 500ms")).ended();
        assert_eq!(ran.code(), Some(0), "{way}: {}", ran.stderr());
        assert_eq!(ran.document().trace.unwrap().pid, pid, "{way}");
    }
    for way in [format!("--unit {unit}-2"), "--data-dir /".to_owned()] {
        let ran = Running::start(&format!("trace {way}")).ended();
        assert_eq!(ran.code(), Some(1), "{way}");
        for server in [&in_unit, &other] {
            let listed = format!("process {} (", server.pid());
            assert!(ran.stderr().contains(&listed), "{way}: {}", ran.stderr());
        }
    }
}
