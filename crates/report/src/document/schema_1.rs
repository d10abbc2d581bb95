//! Documents of schema 1, which `logtrace report` still reads.

use serde_json::{Value, json};

use crate::document::SCHEMA;

/// Turns a document of schema 1 into one of the current schema. Fields that schema 1 did not have are empty or null.
pub(crate) fn upgrade(mut document: Value) -> Value {
    let is_traced = document.get("tracer").is_some_and(|tracer| !tracer.is_null());
    let is_full = document
        .get("statements")
        .is_some_and(|statements| !statements.is_null());
    if let Some(fields) = document.as_object_mut() {
        fields.insert("schema".to_owned(), json!(SCHEMA));
        // These lists were empty both where nothing was traced and where nothing was there.
        let mut forget_if_empty = |name: &str, is_traced: bool| {
            let is_empty = fields
                .get(name)
                .and_then(Value::as_array)
                .is_none_or(Vec::is_empty);
            if is_empty && !is_traced {
                fields.insert(name.to_owned(), Value::Null);
            }
        };
        forget_if_empty("files", is_traced);
        forget_if_empty("devices", is_full);
    }
    document
}
