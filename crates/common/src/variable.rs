//! Server variable with a value.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use thiserror::Error;

/// Global or session variable of a server, and the value that it should have, such as `sync_binlog=1`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Variable {
    name: String,
    value: String,
}

/// Error for a text that is not of the form `VARIABLE=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} sets no variable: write VARIABLE=VALUE, for example sync_binlog=1")]
pub struct VariableError(String);

impl Variable {
    /// Creates a variable from a known name. The name becomes lower case with underscores.
    pub fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.replace('-', "_").to_ascii_lowercase(),
            value: value.to_owned(),
        }
    }

    /// Returns the name, in lower case with underscores.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value as it was written.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns whether a server could have a variable of this name.
    fn has_valid_name(&self) -> bool {
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
        self.name.starts_with(|c: char| c.is_ascii_lowercase()) && self.name.chars().all(is_valid)
    }
}

impl FromStr for Variable {
    type Err = VariableError;

    fn from_str(text: &str) -> Result<Self, VariableError> {
        let malformed = || VariableError(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        let variable = Self::new(name.trim(), value.trim());
        match variable.has_valid_name() && !value.contains(['\0', '\n']) {
            true => Ok(variable),
            false => Err(malformed()),
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalized_and_values_kept() {
        let variable: Variable = "Long-Query-Time = 0.5".parse().unwrap();
        assert_eq!((variable.name(), variable.value()), ("long_query_time", "0.5"));
        assert_eq!(
            "hot_cache.key_buffer_size=1".parse::<Variable>().unwrap().value(),
            "1"
        );
    }

    #[test]
    fn malformed_texts_are_refused() {
        for text in [
            "",
            "=",
            "=1",
            "sync_binlog",
            "--sync-binlog=1",
            "a b=1",
            "1a=1",
            "a;b=1",
            "a=1\nb=2",
        ] {
            assert!(text.parse::<Variable>().is_err(), "{text:?}");
        }
    }
}
