//! Text of a plan as TOML, before it is checked.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::{Spanned, Value};

/// Whole file.
#[derive(Debug, serde::Deserialize)]
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
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisText {
    pub(crate) name: Spanned<String>,
    #[serde(default, rename = "level")]
    pub(crate) levels: Vec<Spanned<Table>>,
}

/// `[scale.NAME]`.
#[derive(Debug, Default, serde::Deserialize)]
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
#[derive(Debug, serde::Deserialize)]
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
#[derive(Debug, serde::Deserialize)]
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

/// Table of options; keys and values carry their position.
#[derive(Debug, Default)]
pub(crate) struct Table(pub(crate) Vec<(Spanned<String>, Spanned<Node>)>);

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

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Table;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Table, A::Error> {
                entries(map)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

fn entries<'de, A: MapAccess<'de>>(mut map: A) -> Result<Table, A::Error> {
    let mut entries = Vec::new();
    while let Some(entry) = map.next_entry()? {
        entries.push(entry);
    }
    Ok(Table(entries))
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, true, false, a list or a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Node, A::Error> {
                entries(map).map(Node::Table)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
                Ok(Node::Value(Value::Boolean(value)))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
                Ok(Node::Value(Value::Integer(value)))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
                Ok(Node::Value(Value::Float(value)))
            }

            fn visit_str<E>(self, value: &str) -> Result<Node, E> {
                Ok(Node::Value(Value::String(value.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Node::Value(Value::Array(values)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMore;
        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a level in quotes, or a list of such names")
            }

            fn visit_str<E>(self, name: &str) -> Result<Names, E> {
                Ok(Names(vec![name.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_any(OneOrMore)
    }
}
