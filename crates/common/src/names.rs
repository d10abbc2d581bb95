//! Errors for texts that name no variant of an enum.

use thiserror::Error;

/// Error for a text that names no variant of an enum. It lists the names that exist.
///
/// Enums use it as the error of their derived `FromStr`:
/// `#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_protocol)]`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {what} {name:?}: choose {choices}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    choices: String,
}

impl UnknownName {
    /// Creates the error for `name`. `what` is the enum in words, such as "protocol"; `choices` are its names.
    pub fn new(what: &'static str, name: &str, choices: &[&str]) -> Self {
        Self {
            what,
            name: name.to_owned(),
            choices: join_choices(choices),
        }
    }
}

/// Joins names for a sentence: "a", "a or b", "a, b or c".
fn join_choices(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use strum::{EnumString, VariantNames};

    use super::*;

    #[derive(Debug, PartialEq, EnumString, VariantNames)]
    #[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_protocol)]
    enum Protocol {
        Prepared,
        PlainText,
        Binary,
    }

    fn unknown_protocol(text: &str) -> UnknownName {
        UnknownName::new("protocol", text, Protocol::VARIANTS)
    }

    #[test]
    fn unknown_name_lists_all_names() {
        assert_eq!("plain_text".parse(), Ok(Protocol::PlainText));
        let error = "udp".parse::<Protocol>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown protocol \"udp\": choose prepared, plain_text or binary"
        );
    }
}
