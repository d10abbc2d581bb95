//! JSON schemas of enums that are stored by name.

use schemars::{Schema, SchemaGenerator, json_schema};
use strum::VariantNames;

/// Returns the schema of the names of `T`.
pub fn names<T: VariantNames>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": T::VARIANTS })
}

/// Returns the schema of the names of `T` or null.
pub fn names_or_null<T: VariantNames>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [names::<T>(generator), { "type": "null" }] })
}
