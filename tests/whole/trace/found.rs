//! A server is found by its unit and by its data directory beside another one, and without a name if it is the only one.

use logtrace_common::Flavor;
use logtrace_laboratory::cgroup::Cgroup;
use logtrace_laboratory::foreign::Foreign;

use crate::common::{Running, alone, beside_others};

#[test]
fn a_server_is_found_by_its_unit_and_by_its_data_directory() {
    let _turn = beside_others();
    // Before the servers, so that it is empty when it is removed.
    let group = Cgroup::new("cpu").unwrap();
    let (in_unit, other) = (Foreign::start(Flavor::MariaDb), Foreign::start(Flavor::MySql));
    group.add(in_unit.pid()).unwrap();
    let unit = group.directory().file_name().unwrap().to_str().unwrap();
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
    // Not the root directory, in which a server of another test may start.
    let of_nobody = format!("--data-dir {}", linked.path().display());
    for way in [format!("--unit {unit}-2"), of_nobody] {
        let ran = Running::start(&format!("trace {way}")).ended();
        assert_eq!(ran.code(), Some(1), "{way}");
        for server in [&in_unit, &other] {
            let listed = format!("process {} (", server.pid());
            assert!(ran.stderr().contains(&listed), "{way}: {}", ran.stderr());
        }
    }
    let unnamed = Running::start("trace").ended();
    assert_eq!(unnamed.code(), Some(1), "{}", unnamed.stderr());
    for server in [&in_unit, &other] {
        let to_type = format!("\n  --pid {} ", server.pid());
        assert!(unnamed.stderr().contains(&to_type), "{}", unnamed.stderr());
    }
}

#[test]
fn the_only_server_needs_no_name_and_is_said() {
    let _alone = alone();
    let server = Foreign::start(Flavor::MariaDb);
    let ran = Running::start("trace --duration 1").ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    assert_eq!(ran.document().trace.unwrap().pid, server.pid());
    let said = format!("tracing process {} (", server.pid());
    assert!(ran.stderr().contains(&said), "{}", ran.stderr());
    let by_number = Running::start(&format!("trace {} --duration 500ms", server.pid())).ended();
    assert_eq!(by_number.code(), Some(0), "{}", by_number.stderr());
}
