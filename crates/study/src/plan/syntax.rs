//! Text of a plan as TOML, before it is checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_untagged::UntaggedEnumVisitor;
use toml::{Spanned, Value};

/// Whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanText {
    pub(crate) name: Spanned<String>,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) base: Table,
    #[serde(default, rename = "axis")]
    pub(crate) axes: Vec<AxisText>,
    #[serde(default, rename = "exclude")]
    pub(crate) excludes: Vec<Spanned<Choices>>,
    #[serde(default, rename = "scale")]
    pub(crate) scales: BTreeMap<Spanned<String>, ScaleText>,
    #[serde(default, rename = "table")]
    pub(crate) tables: Vec<TableText>,
    #[serde(default)]
    pub(crate) published: Vec<PublishedText>,
}

/// Levels by the name of their axis.
pub(crate) type Choices = BTreeMap<Spanned<String>, Spanned<Names>>;

/// `[[axis]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisText {
    pub(crate) name: Spanned<String>,
    #[serde(default, rename = "level")]
    pub(crate) levels: Vec<Spanned<Table>>,
}

/// `[scale.NAME]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScaleText {
    #[serde(default)]
    pub(crate) base: Table,
    #[serde(default)]
    pub(crate) levels: Choices,
    #[serde(default)]
    pub(crate) change: Changes,
}

/// Options of levels, by axis and level.
pub(crate) type Changes = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Table>>;

/// `[[table]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableText {
    pub(crate) name: Spanned<String>,
    pub(crate) title: Option<String>,
    pub(crate) figure: Spanned<String>,
    pub(crate) statistic: Option<Spanned<String>>,
    pub(crate) compare: Option<Spanned<String>>,
    pub(crate) rows: Spanned<String>,
    pub(crate) columns: Spanned<String>,
    #[serde(default)]
    pub(crate) baseline: Choices,
    #[serde(default)]
    pub(crate) levels: Choices,
}

/// `[[published]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedText {
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) hardware: String,
    #[serde(default)]
    pub(crate) note: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Spanned<Vec<Vec<Value>>>,
}

/// Options of a table; keys carry their position.
pub(crate) type Table = BTreeMap<Spanned<String>, Node>;

/// Value of a key.
#[derive(Debug)]
pub(crate) enum Node {
    /// Table with more keys.
    Table(Table),
    /// Single value or list.
    Value(Value),
}

/// Name of a level, or a list of such names.
#[derive(Debug)]
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        UntaggedEnumVisitor::new()
            .expecting("a text, a number, true, false, a list or a table")
            .bool(|value| Ok(Self::Value(value.into())))
            .i64(|value| Ok(Self::Value(value.into())))
            .f64(|value| Ok(Self::Value(value.into())))
            .string(|value| Ok(Self::Value(value.into())))
            .seq(|list| list.deserialize().map(Self::Value))
            .map(|table| table.deserialize().map(Self::Table))
            .deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        UntaggedEnumVisitor::new()
            .expecting("the name of a level in quotes, or a list of such names")
            .string(|name| Ok(Self(vec![name.to_owned()])))
            .seq(|names| names.deserialize().map(Self))
            .deserialize(deserializer)
    }
}
