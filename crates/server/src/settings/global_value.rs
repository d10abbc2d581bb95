//! Value of a global variable, and the SQL that gives a variable this value.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::settings::value_match::integer;

/// Value of a global variable, as `SELECT @@GLOBAL.name` returns it. Equal values are the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub(crate) enum GlobalValue {
    Null,
    /// Digits of a column with a type of numbers.
    Number(String),
    Text(String),
}

impl GlobalValue {
    /// Writes the value as SQL.
    pub(crate) fn literal(&self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Number(digits) => digits.clone(),
            Self::Text(text) => quoted(text),
        }
    }
}

impl fmt::Display for GlobalValue {
    /// Writes the value as `SHOW GLOBAL VARIABLES` does, but truth values as 1 and 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Number(text) | Self::Text(text) => f.write_str(text),
        }
    }
}

/// Writes what a user asks for as SQL. Numbers lose their suffix, which SQL does not know (`256M` is 268435456); words are
/// quoted.
pub(crate) fn literal(value: &str) -> String {
    if let Some(number) = integer(value) {
        return number.to_string();
    }
    let decimal = value.starts_with(|c: char| c.is_ascii_digit()) && value.parse::<f64>().is_ok();
    if decimal { value.to_owned() } else { quoted(value) }
}

/// Writes a text as SQL that means the same under every `sql_mode` and character set of a session. (A backslash is one or
/// an escape, as `NO_BACKSLASH_ESCAPES` says.)
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte != b'\\' && (byte == b' ' || byte.is_ascii_graphic());
    if text.bytes().all(is_plain) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    format!("_utf8mb4 X'{}'", hex(text))
}

/// Writes the bytes of a text in digits, as `HEX` does.
pub(crate) fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_becomes_sql_that_says_the_same() {
        assert_eq!(literal("256M"), "268435456");
        assert_eq!(literal("0.500000"), "0.500000");
        assert_eq!(literal("-1"), "-1");
        assert_eq!(literal("ON"), "'ON'");
        assert_eq!(literal(""), "''");
        assert_eq!(literal("it's"), "'it''s'");
        assert_eq!(literal("1; DROP"), "'1; DROP'");
    }

    #[test]
    fn a_text_means_the_same_in_every_session() {
        let text = |text: &str| GlobalValue::Text(text.into()).literal();
        assert_eq!(text("1"), "'1'", "digits of a text stay a text");
        assert_eq!(text(r"a\'"), "_utf8mb4 X'615C27'");
        assert_eq!(text("ä\n"), "_utf8mb4 X'C3A40A'");
        assert_eq!(GlobalValue::Null.literal(), "NULL");
        assert_eq!(GlobalValue::Number("10.5".into()).literal(), "10.5");
    }

    #[test]
    fn a_value_is_read_again_from_a_note() {
        for value in [
            GlobalValue::Null,
            GlobalValue::Number("1".into()),
            GlobalValue::Text("null".into()),
        ] {
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(
                serde_json::from_str::<GlobalValue>(&json).unwrap(),
                value,
                "{json}"
            );
        }
    }
}
