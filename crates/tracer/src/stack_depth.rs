//! Tests of the stacks of the kernel side's functions, in the object as it was compiled.

use std::fs;

use logtrace_common::{stack_depths, uprobe_depths};

fn object() -> Vec<u8> {
    fs::read(concat!(env!("OUT_DIR"), "/logtrace.bpf.o")).unwrap()
}

#[test]
fn uprobes_and_what_they_call_have_no_stack_of_their_own() {
    let depths = uprobe_depths(&object()).unwrap();
    println!("{depths:?}");
    for name in [
        "on_commit_begin",
        "on_commit_end",
        "on_group_member",
        "on_nothing",
    ] {
        assert!(depths[name] > 0, "{name} stores something");
    }
    assert!(!depths.contains_key("on_switch"), "it is no uprobe");
}

#[test]
fn functions_that_are_called_count() {
    let depths = stack_depths(&object(), |name, _| name == "on_switch").unwrap();
    let names: Vec<&str> = depths.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["begin_read", "first_unwound", "known_stack", "learn", "on_switch"]
    );
}
