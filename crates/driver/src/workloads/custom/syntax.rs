//! What a file says, before any of it is checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    #[serde(default, rename = "table")]
    pub(crate) tables: Vec<TableText>,
    #[serde(default, rename = "request")]
    pub(crate) requests: Vec<RequestText>,
}

/// One `[[table]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableText {
    pub(crate) name: Spanned<String>,
    pub(crate) create: String,
    #[serde(default)]
    pub(crate) rows: u32,
    #[serde(default)]
    pub(crate) columns: BTreeMap<String, Spanned<Spec>>,
}

/// One `[[request]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestText {
    pub(crate) name: Spanned<String>,
    pub(crate) weight: Option<Spanned<u32>>,
    #[serde(default)]
    pub(crate) transaction: bool,
    pub(crate) statements: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, Spanned<Spec>>,
}

/// How the values of a parameter or a column are drawn.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Spec {
    /// Whole numbers of a range.
    Integer {
        min: i64,
        max: i64,
        keys: Option<String>,
    },
    /// Numbers of a range, with so many places behind the point.
    Decimal { min: f64, max: f64, places: u32 },
    /// Characters of an alphabet.
    Text {
        length: u32,
        min_length: Option<u32>,
        alphabet: Option<String>,
    },
    /// One of several values.
    Choice {
        values: Vec<Value>,
        weights: Option<Vec<u32>>,
    },
    /// The number of a row of a table; without a table, that of the row itself.
    Row {
        table: Option<String>,
        keys: Option<String>,
    },
    /// A number that no other request has.
    Unique {},
}
