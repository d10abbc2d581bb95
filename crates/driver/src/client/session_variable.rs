//! Session variables that the driver's connections set.

use std::fmt;
use std::str::FromStr;

use mysql_async::Value;
use thiserror::Error;

/// Session variable and its value, such as `sql_log_bin=0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionVariable {
    name: String,
    value: String,
}

/// Error for a text that is not `VAR=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} does not set a variable: write VAR=VALUE, such as sql_log_bin=0")]
pub struct SessionVariableError(String);

impl SessionVariable {
    /// Creates a variable; `None` if the name is not valid.
    pub fn new(name: &str, value: &str) -> Option<Self> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let name = name.replace('-', "_").to_ascii_lowercase();
        (!name.is_empty() && name.bytes().all(is_name)).then(|| Self {
            name,
            value: value.to_owned(),
        })
    }

    /// Returns the name, in lower case and with underscores.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value as written.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the statement that sets the variable. Numbers stay as they are; other values are quoted.
    pub(crate) fn statement(&self) -> String {
        let Self { name, value } = self;
        let is_number =
            value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && value.parse::<f64>().is_ok();
        match is_number {
            true => format!("SET SESSION {name} = {value}"),
            false => format!("SET SESSION {name} = {}", Value::from(value).as_sql(false)),
        }
    }
}

impl FromStr for SessionVariable {
    type Err = SessionVariableError;

    fn from_str(text: &str) -> Result<Self, SessionVariableError> {
        let parts = text.split_once('=');
        parts
            .and_then(|(name, value)| Self::new(name.trim(), value.trim()))
            .ok_or_else(|| SessionVariableError(text.to_owned()))
    }
}

impl fmt::Display for SessionVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> String {
        text.parse::<SessionVariable>().unwrap().statement()
    }

    #[test]
    fn a_value_becomes_sql_that_says_the_same() {
        assert_eq!(statement("sql_log_bin=0"), "SET SESSION sql_log_bin = 0");
        assert_eq!(
            statement("Long-Query-Time = 0.5"),
            "SET SESSION long_query_time = 0.5"
        );
        assert_eq!(statement("sql_mode=ANSI"), "SET SESSION sql_mode = 'ANSI'");
        assert_eq!(statement("sql_mode="), "SET SESSION sql_mode = ''");
        assert_eq!(statement("a=1; DROP"), "SET SESSION a = '1; DROP'");
    }

    #[test]
    fn only_a_name_names_a_variable() {
        for text in ["", "=1", "sql_log_bin", "a b=1", "a=1,b"] {
            assert_eq!(text.parse::<SessionVariable>().is_ok(), text == "a=1,b", "{text}");
        }
    }
}
