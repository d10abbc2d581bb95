//! A value that was drawn.

use mysql_async::Value;

/// What stands in the place of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// BIGINT.
    Integer(i64),
    /// A decimal number, written out.
    Decimal(String),
    /// A text.
    Text(String),
}

impl Drawn {
    /// As it is bound to a prepared statement. The protocol of clients has decimal numbers as texts.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Integer(number) => (*number).into(),
            Self::Decimal(text) | Self::Text(text) => text.as_str().into(),
        }
    }

    /// As it stands in a statement.
    pub(crate) fn literal(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Decimal(text) => text.clone(),
            Self::Text(text) => Value::from(text.as_str()).as_sql(false),
        }
    }
}
