//! Parser of the parameters of a distribution, and its errors.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

/// Reason why a text is not a distribution of keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct KeysError(pub(crate) String);

impl KeysError {
    pub(crate) fn out_of_range(parameter: &str, value: impl Display, range: &str) -> Self {
        Self(format!("the {parameter} keys is {value}: give {range}"))
    }
}

/// Splits a text into the name and its parameters.
pub(crate) fn split(text: &str) -> (&str, Vec<&str>) {
    match text.split_once(':') {
        Some((name, parameters)) => (name, parameters.split(',').collect()),
        None => (text, Vec::new()),
    }
}

/// Reads a parameter, which must be a number of this kind.
pub(crate) fn number<T: FromStr>(text: &str, parameter: &str, kind: &str) -> Result<T, KeysError> {
    parameter
        .parse()
        .map_err(|_| KeysError(format!("{text:?}: {parameter:?} is not {kind}")))
}
