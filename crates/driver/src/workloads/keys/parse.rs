//! Reading the parameters of a distribution, and what is wrong with them.

use std::str::FromStr;

use thiserror::Error;

/// Why a text is no distribution of keys.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeysError {
    /// No such name.
    #[error("unknown key distribution {0:?}: choose uniform, special, gaussian, pareto or zipfian")]
    Unknown(String),
    /// Too few or too many parameters.
    #[error(
        "{0:?} has parameters that its distribution does not: write uniform, special:PERCENT,SHARE[,NUMBERS], \
         gaussian:NUMBERS, pareto:H or zipfian:EXPONENT"
    )]
    Count(String),
    /// A parameter is of the wrong kind.
    #[error("{text:?}: {parameter:?} is not {kind}")]
    Kind {
        /// All that was given.
        text: String,
        /// The parameter.
        parameter: String,
        /// What it should be.
        kind: &'static str,
    },
    /// A parameter for which there is no distribution.
    #[error("the {parameter} of {name} keys is {value}: give {range}")]
    Range {
        /// The distribution.
        name: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        range: &'static str,
    },
}

/// A name and its parameters.
pub(crate) fn split(text: &str) -> (&str, Vec<&str>) {
    match text.split_once(':') {
        Some((name, parameters)) => (name, parameters.split(',').collect()),
        None => (text, Vec::new()),
    }
}

/// A parameter that counts something.
pub(crate) fn whole(text: &str, parameter: &str) -> Result<u32, KeysError> {
    read(text, parameter, "a whole number")
}

/// A parameter that measures something.
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
