//! Reading of documents, also of older ones.

mod json;
mod schema_1;

pub use json::{JsonError, parse_json};
