//! JSON schemas of enums that are stored by name.

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use schemars::{Schema, SchemaGenerator, json_schema};
use strum::VariantNames;

/// Returns the schema of one of `names`.
pub(crate) fn names_schema(names: &[&str]) -> Schema {
    json_schema!({ "type": "string", "enum": names })
}

/// Returns the schema of a file class.
pub(crate) fn file_class(_: &mut SchemaGenerator) -> Schema {
    names_schema(FileClass::VARIANTS)
}

/// Returns the schema of an I/O operation.
pub(crate) fn operation(_: &mut SchemaGenerator) -> Schema {
    names_schema(&[IoOp::Write, IoOp::Fsync].map(IoOp::as_str))
}

/// Returns the schema of a file class or null.
pub(crate) fn file_class_or_null(generator: &mut SchemaGenerator) -> Schema {
    or_null(&file_class(generator))
}

/// Returns the schema of an I/O operation or null.
pub(crate) fn operation_or_null(generator: &mut SchemaGenerator) -> Schema {
    or_null(&operation(generator))
}

fn or_null(schema: &Schema) -> Schema {
    json_schema!({ "anyOf": [schema, { "type": "null" }] })
}
