//! The schema of `study.json` is derived from the types of the report, and describes it exactly.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, RestrictFormats, Transform};

use super::tests::report;
use crate::report::StudyReport;

/// Returns the JSON schema of `study.json`.
fn json_schema() -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<StudyReport>();
    RecursiveTransform(for_readers_of_json).transform(&mut schema);
    // A strict validator refuses `uint64`.
    RestrictFormats::default().transform(&mut schema);
    schema
}

/// Turns the comments of Rust types into descriptions of JSON: one line, and null instead of `None`. Refuses further fields.
fn for_readers_of_json(schema: &mut Schema) {
    let text = schema.get("description").and_then(|text| text.as_str());
    if let Some(text) = text.map(|text| text.replace('\n', " ").replace("`None`", "Null")) {
        schema.insert("description".to_owned(), text.into());
    }
    // An enum's variant with a struct inside refers to the struct and adds its tag.
    if schema.get("$ref").is_some() && schema.get("properties").is_some() {
        schema.insert("unevaluatedProperties".to_owned(), false.into());
    }
}

const SCHEMA: &str = include_str!("../../../../docs/study.schema.json");

/// Compares the committed schema with the derived one; with `UPDATE_SCHEMA` in the environment, writes it.
#[test]
fn committed_schema_is_the_derived_one() {
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/study.schema.json");
        std::fs::write(path, &schema).unwrap();
        return;
    }
    assert!(
        schema == SCHEMA,
        "docs/study.schema.json is out of date: run UPDATE_SCHEMA=1 cargo test -p logtrace-study"
    );
}

/// JSON pointers of every object in a value.
fn objects(value: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            found.push(at.to_owned());
            fields
                .iter()
                .for_each(|(name, value)| objects(value, &format!("{at}/{name}"), found));
        }
        serde_json::Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| objects(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn schema_describes_the_report_exactly() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let value = serde_json::to_value(report()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let mut found = Vec::new();
    objects(&value, "", &mut found);
    for at in found {
        let mut more = value.clone();
        let object = more.pointer_mut(&at).unwrap().as_object_mut().unwrap();
        object.insert("invented".to_owned(), true.into());
        assert!(!validator.is_valid(&more), "{at} may have anything");
        let names: Vec<String> = value
            .pointer(&at)
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for name in names {
            let mut fewer = value.clone();
            fewer
                .pointer_mut(&at)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(&name);
            assert!(!validator.is_valid(&fewer), "{at}/{name} may be missing");
        }
    }
}
