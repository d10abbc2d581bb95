//! What the samples promise, and that a document which breaks a promise is found.

use logtrace_report::check::Imbalance;
use logtrace_report::document::{Document, Groups, SCHEMA, StatementStages};
use logtrace_report::render::{Format, Input, render};
use logtrace_report::{JsonError, parse_json};
use serde_json::{Value, json};

use super::samples;

/// Why the whole sample is refused after `change`.
fn refused(change: impl FnOnce(&mut Document)) -> Imbalance {
    let mut document = samples::traced().document;
    change(&mut document);
    document.check().unwrap_err()
}

#[test]
fn every_sample_adds_up() {
    for (name, sample) in samples::all() {
        assert_eq!(sample.document.check(), Ok(()), "{name}");
    }
}

/// A document of schema 1, with losses.
const SCHEMA_1: &str = include_str!("../../data/run-schema-1.json");

#[test]
fn a_document_of_schema_1_is_read() {
    let document = parse_json(SCHEMA_1).unwrap();
    assert_eq!(document.schema, SCHEMA);
    assert_eq!((document.logtrace.as_str(), document.host), ("", None));
    let driver = document.driver.unwrap();
    assert_eq!(
        (driver.requests, driver.queued, driver.pacer_lag.count),
        (35_988, 0, 0)
    );
    assert_eq!(document.files.unwrap().len(), 6);
    assert_eq!(driver.capacity, None);
}

#[test]
fn in_schema_1_a_capacity_had_no_parts() {
    let mut value: Value = serde_json::from_str(SCHEMA_1).unwrap();
    value["workload"]["capacity_per_s"] = json!(1_500.0);
    let capacity = parse_json(&value.to_string()).unwrap().driver.unwrap().capacity;
    let capacity = capacity.unwrap();
    assert_eq!((capacity.per_s, capacity.parts_per_s.len()), (1_500.0, 0));
}

#[test]
fn in_schema_1_each_probe_had_the_runs_of_its_program() {
    let mut value: Value = serde_json::from_str(SCHEMA_1).unwrap();
    let probes = value["tracer"]["probes"].as_array_mut().unwrap();
    let mut shared = probes[2].clone();
    shared["name"] = json!("off-CPU too");
    probes.push(shared);
    let tracer = parse_json(&value.to_string()).unwrap().tracer.unwrap();
    let programs = tracer.programs.iter();
    let programs: Vec<_> = programs.map(|one| (one.name.as_str(), one.runs)).collect();
    assert_eq!(
        programs,
        [
            ("commit window", 71_976),
            ("group edges", 0),
            ("off-CPU", 905_000)
        ]
    );
    let probes = tracer.probes.iter().map(|probe| probe.program.as_str());
    assert!(probes.eq(["commit window", "group edges", "off-CPU", "off-CPU"]));
}

#[test]
fn in_schema_1_an_untraced_list_was_empty() {
    let mut value: Value = serde_json::from_str(SCHEMA_1).unwrap();
    let untraced = ["files", "devices", "causes", "unclassified"];
    untraced.iter().for_each(|name| value[name] = json!([]));
    for name in ["tracer", "commits", "statements", "groups", "response"] {
        value[name] = Value::Null;
    }
    (value["unexplained"], value["last_resort"]) = (json!(0), json!(0));
    let document = parse_json(&value.to_string()).unwrap();
    assert_eq!((document.files, document.devices), (None, None));
}

#[test]
fn a_nanosecond_too_much_is_found() {
    for index in 0..samples::traced().document.causes.len() {
        let error = refused(|document| document.causes[index].total += 1);
        assert!(matches!(error, Imbalance::Sum { .. }), "{error}");
        let error = refused(|document| document.causes[index].slowest += 1);
        assert!(matches!(error, Imbalance::Sum { .. }), "{error}");
    }
}

#[test]
fn each_sum_is_checked() {
    let commits = |document: &mut Document| document.commits.take().unwrap();
    let sums = [
        refused(|document| document.unexplained += 1),
        refused(|document| document.files.as_mut().unwrap()[0].count += 1),
        refused(|document| document.commits.as_mut().unwrap().per_second[3] += 1),
        refused(|document| document.commits.as_mut().unwrap().distribution.count += 1),
        refused(|document| document.commits.as_mut().unwrap().slowest_total += 1),
    ];
    for error in sums {
        assert!(matches!(error, Imbalance::Sum { .. }), "{error}");
    }
    let error = refused(|document| drop(commits(document)));
    assert_eq!(error, Imbalance::WithoutCommits(16));
}

#[test]
fn groups_add_up_to_their_members() {
    let groups = |change: fn(&mut Groups)| refused(|document| change(document.groups.as_mut().unwrap()));
    let sums = [
        groups(|groups| groups.count += 1),
        groups(|groups| groups.members -= 1),
        groups(|groups| groups.sizes[2] += 1),
    ];
    for error in sums {
        assert!(matches!(error, Imbalance::Sum { .. }), "{error}");
    }
    let parts = [
        groups(|groups| groups.merged = groups.count + 1),
        groups(|groups| groups.led = 35_989),
        groups(|groups| groups.disagreements.commits = groups.led + 1),
        groups(|groups| groups.disagreements.total = u64::MAX),
    ];
    for error in parts {
        assert!(matches!(error, Imbalance::Part { .. }), "{error}");
    }
}

#[test]
fn stages_add_up_and_holders_are_part_of_the_waits() {
    let stages =
        |change: fn(&mut StatementStages)| refused(|document| change(document.stages.as_mut().unwrap()));
    let sums = [
        stages(|of| of.before_commit += 1),
        stages(|of| of.after_commit -= 1),
        stages(|of| of.waited += 1),
        stages(|of| of.waits[0].total += 1),
    ];
    for error in sums {
        assert!(matches!(error, Imbalance::Sum { .. }), "{error}");
    }
    let parts = [
        stages(|of| of.waits[0].longest = of.waits[0].total + 1),
        stages(|of| of.waits[0].held_by[0].total = of.waits[0].total + 1),
        stages(|of| of.waits[0].held_by[0].held *= 10),
        stages(|of| of.waits[0].held_by[0].idle *= 2),
        stages(|of| of.waits[0].held_by[0].count = 15),
    ];
    for error in parts {
        assert!(matches!(error, Imbalance::Part { .. }), "{error}");
    }
}

#[test]
fn a_part_larger_than_its_whole_is_found() {
    let error = refused(|document| document.causes[0].commits = 35_989);
    assert!(
        matches!(
            error,
            Imbalance::Part {
                part: 35_989,
                whole: 35_988,
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|document| document.commits.as_mut().unwrap().slowest_count = 35_989);
    assert!(matches!(error, Imbalance::Part { .. }), "{error}");
}

#[test]
fn causes_are_whole_and_distinct() {
    let mut value = serde_json::to_value(samples::traced().document).unwrap();
    value["causes"][0]["op"] = serde_json::Value::Null;
    let error = parse_json(&value.to_string()).unwrap_err();
    assert!(matches!(error, JsonError::Syntax(_)), "{error}");
    let error = refused(|document| {
        let mut twin = document.causes[0];
        twin.total = 0;
        document.causes.push(twin);
    });
    assert!(matches!(error, Imbalance::Twice(_)), "{error}");
}

#[test]
fn json_reads_back() {
    for (name, sample) in samples::all() {
        let text = render(Format::Json, input(&sample)).unwrap();
        assert_eq!(parse_json(&text).unwrap(), sample.document, "{name}");
    }
}

#[test]
fn json_of_another_version_is_refused_whatever_else_it_holds() {
    let error = parse_json(r#"{"schema": 3, "everything": "else"}"#).unwrap_err();
    assert!(matches!(error, JsonError::Schema(3)), "{error}");
}

#[test]
fn json_that_does_not_add_up_is_refused() {
    let mut sample = samples::traced();
    sample.document.unexplained += 1;
    let text = render(Format::Json, input(&sample)).unwrap();
    let error = parse_json(&text).unwrap_err();
    assert!(matches!(error, JsonError::Imbalance(_)), "{error}");
}

fn input(sample: &samples::Sample) -> Input<'_> {
    Input {
        document: &sample.document,
        stacks: &sample.stacks,
        over_time: None,
        color: false,
        all: false,
    }
}
