//! Text of a plan as TOML, before it is checked.

use std::collections::BTreeMap;

use logtrace_common::FileError;
use logtrace_statistics::{DifferenceScale, Statistic};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_untagged::UntaggedEnumVisitor;
use toml::{Spanned, Value};

use crate::plan::plan_file::PlanFile;

/// Whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanText {
    pub(crate) name: Spanned<String>,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) base: PlanTable,
    #[serde(default, rename = "axis")]
    pub(crate) axes: Vec<AxisText>,
    #[serde(default, rename = "exclude")]
    pub(crate) excludes: Vec<Spanned<LevelsByAxis>>,
    #[serde(default, rename = "scale")]
    pub(crate) scales: BTreeMap<Spanned<String>, ScaleText>,
    #[serde(default, rename = "table")]
    pub(crate) tables: Vec<TableText>,
    #[serde(default)]
    pub(crate) published: Vec<Spanned<Published>>,
}

/// Levels by the name of their axis.
pub(crate) type LevelsByAxis = BTreeMap<Spanned<String>, Spanned<LevelNames>>;

/// `[[axis]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisText {
    pub(crate) name: Spanned<String>,
    #[serde(default, rename = "level")]
    pub(crate) levels: Vec<Spanned<PlanTable>>,
}

/// `[scale.NAME]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScaleText {
    #[serde(default)]
    pub(crate) base: PlanTable,
    #[serde(default)]
    pub(crate) levels: LevelsByAxis,
    #[serde(default)]
    pub(crate) change: Changes,
}

/// Options of levels, by axis and level.
pub(crate) type Changes = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, PlanTable>>;

/// `[[table]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableText {
    pub(crate) name: Spanned<String>,
    pub(crate) title: Option<String>,
    pub(crate) figure: Spanned<String>,
    pub(crate) reference: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) statistic: Statistic,
    #[serde(default)]
    pub(crate) compare: DifferenceScale,
    pub(crate) rows: Spanned<String>,
    pub(crate) columns: Spanned<String>,
    #[serde(default)]
    pub(crate) baseline: LevelsByAxis,
    #[serde(default)]
    pub(crate) levels: LevelsByAxis,
    #[serde(default)]
    pub(crate) published: Vec<RatiosText>,
    #[serde(default)]
    pub(crate) over_time: bool,
}

/// `[[table.published]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatiosText {
    pub(crate) source: String,
    #[serde(default)]
    pub(crate) levels: LevelsByAxis,
    pub(crate) columns: Spanned<Vec<String>>,
    pub(crate) rows: BTreeMap<Spanned<String>, Spanned<Vec<f64>>>,
}

/// Published table: context for the results, never a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Heading.
    pub title: String,
    /// Publication.
    pub source: String,
    /// Hardware of the measurement.
    pub hardware: String,
    /// Further remarks; may be empty.
    #[serde(default)]
    #[schemars(!default)]
    pub note: String,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Rows of cells. Each row has as many cells as there are columns.
    #[serde(deserialize_with = "texts_or_numbers")]
    pub rows: Vec<Vec<String>>,
}

/// Options of a table; keys carry their position.
pub(crate) type PlanTable = BTreeMap<Spanned<String>, PlanNode>;

/// Value of a key.
#[derive(Debug)]
pub(crate) enum PlanNode {
    /// Table with more keys.
    Table(PlanTable),
    /// Single value or list.
    Value(Value),
}

/// Name of a level, or a list of such names.
#[derive(Debug)]
pub(crate) struct LevelNames(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for PlanNode {
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

impl<'de> Deserialize<'de> for LevelNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        UntaggedEnumVisitor::new()
            .expecting("the name of a level in quotes, or a list of such names")
            .string(|name| Ok(Self(vec![name.to_owned()])))
            .seq(|names| names.deserialize().map(Self))
            .deserialize(deserializer)
    }
}

impl Published {
    /// Returns a `[[published]]` of a plan, if its rows are complete.
    pub(crate) fn checked(source: &PlanFile<'_>, published: Spanned<Self>) -> Result<Self, FileError> {
        let (span, published) = (published.span(), published.into_inner());
        match published
            .rows
            .iter()
            .all(|row| row.len() == published.columns.len())
        {
            true => Ok(published),
            false => Err(source.error(
                span,
                "each row needs as many texts or numbers as there are columns",
            )),
        }
    }
}

fn texts_or_numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<String>>, D::Error> {
    let rows: Vec<Vec<Value>> = Deserialize::deserialize(deserializer)?;
    let texts: Option<_> = rows.iter().map(|row| row.iter().map(scalar).collect()).collect();
    texts.ok_or_else(|| D::Error::custom("rows have texts or numbers only"))
}

/// Returns a value as a server expects it, or `None` for lists and dates.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(true) => Some("ON".to_owned()),
        Value::Boolean(false) => Some("OFF".to_owned()),
        _ => None,
    }
}
