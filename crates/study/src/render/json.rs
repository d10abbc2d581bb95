//! Study as JSON: `study.json`, and its schema.

use logtrace_common::inert;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};

use crate::report::StudyReport;

/// Returns the whole report as `study.json` has it.
pub fn json(report: &StudyReport) -> Result<String, serde_json::Error> {
    Ok(inert::json(&serde_json::to_string_pretty(report)?) + "\n")
}

/// Returns the JSON schema of [`json()`].
pub fn json_schema() -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<StudyReport>();
    RecursiveTransform(for_readers_of_json).transform(&mut schema);
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
