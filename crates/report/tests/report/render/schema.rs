//! docs/run.schema.json describes the document exactly.

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::cause::{Wait, Who};
use serde::Serialize;
use serde_json::{Map, Value, json};
use strum::IntoEnumIterator;

use super::samples;

const SCHEMA: &str = include_str!("../../../../../docs/run.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema())
        .unwrap()
}

/// The sample in which no list and no map is empty, and nothing is null.
fn full() -> Value {
    let mut document = samples::losses().document;
    let driver = document.driver.as_mut().unwrap();
    driver.offered_per_s = Some(1.0);
    driver.kinds = samples::custom::sample().document.driver.unwrap().kinds;
    let workload = document.workload.as_mut().unwrap();
    (workload.capacity_per_s, workload.range_size) = (Some(1.0), Some(100));
    workload.schedule = Some("steps.txt".to_owned());
    document.trace = samples::trace().document.trace;
    document.tpcc = samples::tpcc::sample().document.tpcc;
    serde_json::to_value(document).unwrap()
}

#[test]
fn every_sample_is_valid() {
    let validator = validator();
    for (name, sample) in samples::all() {
        let value = serde_json::to_value(&sample.document).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

/// JSON pointers of every object in `value` whose fields are fixed.
fn structs(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_map = [
                "/settings",
                "/errors",
                "/retries",
                "/workload/statements",
                "/workload/session",
            ]
            .iter()
            .any(|map| at.ends_with(map));
            if !is_map {
                found.push(at.to_owned());
            }
            for (name, field) in fields {
                structs(field, &format!("{at}/{name}"), found);
            }
        }
        // The first of a list stands for the others: all have the same fields.
        Value::Array(items) => items
            .iter()
            .take(1)
            .for_each(|item| structs(item, &format!("{at}/0"), found)),
        _ => {}
    }
}

/// The full document with one object changed.
fn changed(at: &str, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut value = full();
    change(value.pointer_mut(at).unwrap().as_object_mut().unwrap());
    value
}

#[test]
fn no_field_may_be_missing_and_none_added() {
    let (validator, full) = (validator(), full());
    assert!(validator.is_valid(&full));
    let mut objects = Vec::new();
    structs(&full, "", &mut objects);
    assert!(objects.len() > 15, "{objects:?}");
    for at in objects {
        let more = changed(&at, |fields| drop(fields.insert("surprise".to_owned(), json!(1))));
        assert!(
            !validator.is_valid(&more),
            "{at} may have a field that it has not"
        );
        let fields = full.pointer(&at).unwrap().as_object().unwrap();
        for name in fields.keys() {
            let less = changed(&at, |fields| drop(fields.remove(name)));
            assert!(!validator.is_valid(&less), "{at}/{name} may be missing");
            let other = changed(&at, |fields| drop(fields.insert(name.clone(), json!({"a": [1]}))));
            assert!(!validator.is_valid(&other), "{at}/{name} may be anything");
        }
    }
}

#[test]
fn every_field_is_described() {
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap().iter();
    for (name, object) in definitions.chain([(&"document".to_owned(), &schema)]) {
        let Some(properties) = object.get("properties").and_then(Value::as_object) else {
            continue;
        };
        for (field, property) in properties {
            let described = property.get("description").is_some();
            assert!(described, "{name}.{field} has no description");
        }
    }
}

fn words<T: Serialize>(values: &[T]) -> Value {
    values
        .iter()
        .map(|value| serde_json::to_value(value).unwrap())
        .collect()
}

#[test]
fn the_words_are_those_of_the_program() {
    // A variant that is missing here is missing in one of the two matches: the compiler tells.
    let next_wait = |wait| match wait {
        Wait::OnCpu => Some(Wait::RunQueue),
        Wait::RunQueue => Some(Wait::DataWriteback),
        Wait::DataWriteback => Some(Wait::JournalCommit),
        Wait::JournalCommit => Some(Wait::FlushQueue),
        Wait::FlushQueue => Some(Wait::DeviceFlush),
        Wait::DeviceFlush => Some(Wait::DeviceIo),
        Wait::DeviceIo => Some(Wait::FileSystemLock),
        Wait::FileSystemLock => Some(Wait::FileMetadata),
        Wait::FileMetadata => Some(Wait::Unclassified),
        Wait::Unclassified => Some(Wait::FileIo),
        Wait::FileIo => Some(Wait::AsyncIo),
        Wait::AsyncIo => Some(Wait::Timer),
        Wait::Timer => Some(Wait::Client),
        Wait::Client => Some(Wait::SemisyncAck),
        Wait::SemisyncAck => Some(Wait::Unexplained),
        Wait::Unexplained => None,
    };
    let next_who = |who| match who {
        Who::Own => Some(Who::Leader),
        Who::Leader => Some(Who::PreviousGroup),
        Who::PreviousGroup => Some(Who::Session),
        Who::Session => Some(Who::Background),
        Who::Background => None,
    };
    let waits: Vec<Wait> = std::iter::successors(Some(Wait::OnCpu), |&wait| next_wait(wait)).collect();
    let who: Vec<Who> = std::iter::successors(Some(Who::Own), |&who| next_who(who)).collect();
    assert_eq!(waits, Wait::ALL);
    let schema = schema();
    assert_eq!(schema["$defs"]["wait"]["enum"], words(&waits));
    assert_eq!(schema["$defs"]["who"]["enum"], words(&who));
    assert_eq!(
        schema["$defs"]["class"]["enum"],
        words(&FileClass::iter().collect::<Vec<_>>())
    );
    assert_eq!(schema["$defs"]["op"]["enum"], words(&[IoOp::Write, IoOp::Fsync]));
}
