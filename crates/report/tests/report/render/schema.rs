//! docs/run.schema.json is derived from the document's types and describes the documents exactly.
//!
//! `LOGTRACE_BLESS=1 cargo test -p logtrace-report --test render` writes the file.

use logtrace_attribution::cause::Wait;
use logtrace_report::document::Join;
use logtrace_report::document::schema::schema_text;
use serde_json::{Map, Value, json};
use strum::VariantNames;

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
    driver.capacity = samples::traced().document.driver.unwrap().capacity;
    driver.steps = samples::steps();
    driver.kinds = samples::custom::sample().document.driver.unwrap().kinds;
    let workload = document.workload.as_mut().unwrap();
    workload.range_size = Some(100);
    workload.schedule = Some("steps.txt".to_owned());
    document.host.as_mut().unwrap().disks[0].leg_of = Some("dm-0".to_owned());
    let trace = samples::trace().document;
    (document.trace, document.server.container) = (trace.trace, trace.server.container);
    document.join = Some(Join {
        trace_started: String::new(),
        offset: -1,
        drift_ppm: 0.5,
        error: 1,
        requests: 1,
        matched: 1,
    });
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
                "/first_errors",
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

/// Returns `full` with one object changed.
fn changed(full: &Value, at: &str, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut value = full.clone();
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
        let more = changed(&full, &at, |fields| {
            fields.insert("surprise".to_owned(), json!(1));
        });
        assert!(
            !validator.is_valid(&more),
            "{at} may have a field that it has not"
        );
        let fields = full.pointer(&at).unwrap().as_object().unwrap();
        for name in fields.keys() {
            let less = changed(&full, &at, |fields| drop(fields.remove(name)));
            assert!(!validator.is_valid(&less), "{at}/{name} may be missing");
            let other = changed(&full, &at, |fields| {
                fields.insert(name.clone(), json!({"a": [1]}));
            });
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

#[test]
fn a_strict_validator_knows_all_formats() {
    let study = include_str!("../../../../../docs/study.schema.json");
    for schema in [SCHEMA, study] {
        assert!(!schema.contains("\"format\""));
    }
}

#[test]
fn the_file_is_derived_from_the_types() {
    let derived = schema_text().unwrap();
    if std::env::var_os("LOGTRACE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/run.schema.json");
        std::fs::write(path, &derived).unwrap();
    } else {
        assert!(
            derived == SCHEMA,
            "docs/run.schema.json is out of date: run this test with LOGTRACE_BLESS=1"
        );
    }
}

#[test]
fn every_wait_is_explained_in_the_documents() {
    const DOCUMENTS: [&str; 2] = [
        include_str!("../../../../../docs/run-json.md"),
        include_str!("../../../../../docs/attribution.md"),
    ];
    for wait in Wait::VARIANTS {
        for text in DOCUMENTS {
            let mut rows = text.lines().filter(|line| line.starts_with("| `"));
            let is_explained = rows.any(|row| row.contains(&format!("`{wait}`")));
            assert!(is_explained, "no row of a table explains {wait}");
        }
    }
}
