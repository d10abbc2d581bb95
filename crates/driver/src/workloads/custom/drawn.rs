//! Value that was drawn.

use mysql_async::Value;

/// Value of a parameter or column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// Integer (BIGINT).
    Integer(i64),
    /// Decimal number as text.
    Decimal(String),
    /// Text.
    Text(String),
}

impl Drawn {
    /// Returns the value for a prepared statement. The client protocol has decimal numbers as texts.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Integer(number) => (*number).into(),
            Self::Decimal(text) | Self::Text(text) => text.as_str().into(),
        }
    }

    /// Returns the SQL literal.
    pub(crate) fn literal(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Decimal(text) => text.clone(),
            Self::Text(text) => Value::from(text.as_str()).as_sql(false),
        }
    }
}
