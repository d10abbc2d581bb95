//! JSON schema of `run.json`, derived from the types of the document.

use schemars::generate::SchemaSettings;
use schemars::transform::{RestrictFormats, transform_subschemas};
use schemars::{Schema, SchemaGenerator};

use crate::document::Document;

/// Returns the JSON schema of `run.json` as indented text with a final newline. It has only formats of JSON Schema: a strict
/// validator, such as Ajv, refuses a schema with `uint64`.
///
/// # Errors
///
/// Fails if the schema cannot be written as JSON.
pub fn schema_text() -> Result<String, serde_json::Error> {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(refuse_other_fields)
        .with_transform(RestrictFormats::default());
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<Document>();
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

/// Refuses all fields that a structure does not have.
fn refuse_other_fields(schema: &mut Schema) {
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    transform_subschemas(&mut refuse_other_fields, schema);
}
