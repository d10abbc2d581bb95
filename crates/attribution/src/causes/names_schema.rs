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

/// Gives enums that are stored by name the schema of their names.
macro_rules! stored_by_name {
    ($($name:ident),+) => {$(
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::causes::names_schema::names::<Self>(generator)
            }
        }
    )+};
}

pub(crate) use stored_by_name;
