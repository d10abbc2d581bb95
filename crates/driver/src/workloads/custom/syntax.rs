//! Structure of a file, before it is checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

/// Whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkloadFile {
    #[serde(default, rename = "table")]
    pub(crate) tables: Vec<TableSection>,
    #[serde(default, rename = "request")]
    pub(crate) requests: Vec<RequestSection>,
}

/// Section `[[table]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSection {
    pub(crate) name: Spanned<String>,
    pub(crate) create: String,
    #[serde(default)]
    pub(crate) rows: u32,
    #[serde(default)]
    pub(crate) columns: BTreeMap<String, Spanned<Spec>>,
}

/// Section `[[request]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestSection {
    pub(crate) name: Spanned<String>,
    pub(crate) weight: Option<Spanned<u32>>,
    #[serde(default)]
    pub(crate) transaction: bool,
    pub(crate) statements: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, Spanned<Spec>>,
}

/// Definition of the values of a parameter or column.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Spec {
    /// Integers of a range.
    Integer {
        min: i64,
        max: i64,
        keys: Option<String>,
    },
    /// Decimal numbers of a range, with this number of digits after the point.
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
    /// Number of a row of a table; without a table, number of the row itself.
    Row {
        table: Option<String>,
        keys: Option<String>,
    },
    /// Number that no other request has.
    Unique {},
}
