//! Parser of the parameters of a distribution, and its errors.

use std::str::FromStr;

use thiserror::Error;

/// Reason why a text is not a distribution of keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeysError {
    /// Unknown name.
    #[error("unknown key distribution {0:?}: choose uniform, special, gaussian, pareto or zipfian")]
    Unknown(String),
    /// Wrong number of parameters.
    #[error(
        "{0:?} has parameters that its distribution does not: write uniform, special:PERCENT,SHARE[,NUMBERS], \
         gaussian:NUMBERS, pareto:H or zipfian:EXPONENT"
    )]
    Count(String),
    /// Parameter that is not a number of the right kind.
    #[error("{text:?}: {parameter:?} is not {kind}")]
    Kind {
        /// Whole text.
        text: String,
        /// Parameter.
        parameter: String,
        /// Expected kind of number.
        kind: &'static str,
    },
    /// Parameter out of range.
    #[error("the {parameter} of {name} keys is {value}: give {range}")]
    Range {
        /// Distribution.
        name: &'static str,
        /// Parameter.
        parameter: &'static str,
        /// Value of the parameter.
        value: String,
        /// Valid range.
        range: &'static str,
    },
}

/// Splits a text into the name and its parameters.
pub(crate) fn split(text: &str) -> (&str, Vec<&str>) {
    match text.split_once(':') {
        Some((name, parameters)) => (name, parameters.split(',').collect()),
        None => (text, Vec::new()),
    }
}

/// Reads an integer parameter.
pub(crate) fn whole(text: &str, parameter: &str) -> Result<u32, KeysError> {
    read(text, parameter, "a whole number")
}

/// Reads a parameter that can have a fraction.
pub(crate) fn real(text: &str, parameter: &str) -> Result<f64, KeysError> {
    read(text, parameter, "a number")
}

fn read<T: FromStr>(text: &str, parameter: &str, kind: &'static str) -> Result<T, KeysError> {
    parameter.parse().map_err(|_| KeysError::Kind {
        text: text.into(),
        parameter: parameter.into(),
        kind,
    })
}
