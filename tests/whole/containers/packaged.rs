//! The manifest and the unit in packaging/ ask for the rights that a trace needs, and for no others.

use crate::trace::rights::ENOUGH;

const MANIFEST: &str = include_str!("../../../packaging/kubernetes.yaml");
const UNIT: &str = include_str!("../../../packaging/logtrace-trace.service");

/// Returns the rest of the only line that starts with `name`.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let mut values = text.lines().filter_map(|line| line.trim().strip_prefix(name));
    let value = values.next().unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(values.next(), None, "{name} twice");
    value
}

#[test]
fn the_manifest_and_the_unit_ask_for_the_rights_of_a_trace_alone() {
    let rights = ENOUGH.map(str::to_uppercase);
    assert_eq!(value(MANIFEST, "add: "), format!("[{}]", rights.join(", ")));
    assert_eq!(value(MANIFEST, "drop: "), "[ALL]");
    assert_eq!(value(MANIFEST, "hostPID: "), "true");
    assert!(value(MANIFEST, "command: ").starts_with("[logtrace, trace, --unit, CONTAINER,"));
    let rights = rights.map(|right| format!("CAP_{right}")).join(" ");
    assert_eq!(value(UNIT, "AmbientCapabilities="), rights);
    assert_eq!(value(UNIT, "CapabilityBoundingSet="), rights);
    assert_eq!(value(UNIT, "NoNewPrivileges="), "yes");
}

#[test]
fn the_unit_traces_again_after_a_trace_of_its_length() {
    assert_eq!(value(UNIT, "Restart="), "always");
    assert_eq!(value(UNIT, "RestartPreventExitStatus="), "2");
}
