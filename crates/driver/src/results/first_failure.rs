//! First failure with an error code, for a person: what the server said, and to which statement.

use std::collections::BTreeMap;

use logtrace_common::{inert, told};
use mysql_async::Error;

/// Longest text and longest statement, in characters.
const LONGEST: usize = 300;

/// Largest number of error codes whose first failure is kept.
const MOST_CODES: usize = 32;

/// First failure with an error code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFailure {
    /// Time of the failure.
    pub at_ns: u64,
    /// Message of the server, or error of the connection; one line.
    pub text: String,
    /// Statement that failed, with question marks in place of its values; `None` if it is unknown. One line.
    pub statement: Option<String>,
}

impl FirstFailure {
    /// Describes a failure.
    pub(crate) fn new(at_ns: u64, error: &Error, statement: Option<String>) -> Self {
        let text = match error {
            Error::Server(error) => error.message.clone(),
            error => told(error),
        };
        Self {
            at_ns,
            text: line(&text),
            statement: statement.map(|sql| line(&without_values(&sql))),
        }
    }
}

/// First failures by error code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstFailures(pub(crate) BTreeMap<u16, FirstFailure>);

impl FirstFailures {
    /// Keeps the first failure with a code. `describe` is called for it alone.
    pub(crate) fn record(&mut self, code: u16, describe: impl FnOnce() -> FirstFailure) {
        if self.0.len() < MOST_CODES && !self.0.contains_key(&code) {
            self.0.insert(code, describe());
        }
    }

    /// Adds the failures of another part of the load; of two with one code the earlier one stays.
    pub(crate) fn add(&mut self, other: &Self) {
        for (&code, failure) in &other.0 {
            self.record(code, || failure.clone());
            if let Some(known) = self.0.get_mut(&code).filter(|known| failure.at_ns < known.at_ns) {
                known.clone_from(failure);
            }
        }
    }
}

/// Returns a text as one line that is not too long.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = inert::line(&words).chars().take(LONGEST).collect();
    if words.chars().nth(LONGEST).is_some() {
        line.push_str("...");
    }
    line
}

/// Returns a statement with a question mark in place of each text and number: they may be secrets, and hide the statement.
fn without_values(sql: &str) -> String {
    let mut out = String::new();
    let mut chars = sql.chars().peekable();
    let mut is_in_name = false;
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' => drop(chars.next()),
                        // A doubled quote is one of the text.
                        end if end == c && chars.next_if_eq(&c).is_none() => break,
                        _ => {}
                    }
                }
                out.push('?');
            }
            '0'..='9' if !is_in_name => {
                while chars
                    .next_if(|&next| next.is_ascii_alphanumeric() || next == '.')
                    .is_some()
                {}
                out.push('?');
            }
            '`' => {
                out.push(c);
                out.extend(chars.by_ref().take_while(|&inner| inner != '`'));
                out.push('`');
            }
            c => out.push(c),
        }
        is_in_name = c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '.');
    }
    out
}

#[cfg(test)]
mod tests {
    use mysql_async::{IoError, ServerError};

    use super::*;

    #[test]
    fn the_first_failure_with_each_code_is_kept() {
        let failure = |at_ns: u64, text: &str| FirstFailure {
            at_ns,
            text: text.to_owned(),
            statement: None,
        };
        let (mut early, mut late) = (FirstFailures::default(), FirstFailures::default());
        early.record(1146, || failure(5, "first"));
        early.record(1146, || panic!("described in vain"));
        late.record(1146, || failure(6, "second"));
        late.record(1062, || failure(7, "other"));
        late.add(&early);
        let texts = late
            .0
            .iter()
            .map(|(&code, failure)| (code, failure.text.as_str()));
        assert_eq!(texts.collect::<Vec<_>>(), [(1062, "other"), (1146, "first")]);
        for code in 0..1000 {
            late.record(code, || failure(8, "many"));
        }
        assert_eq!(late.0.len(), MOST_CODES);
    }

    #[test]
    fn values_are_left_out_and_names_stay() {
        for (sql, expected) in [
            (
                "UPDATE sbtest1 SET k=k+1 WHERE id=?",
                "UPDATE sbtest1 SET k=k+? WHERE id=?",
            ),
            (
                "UPDATE t2 SET c = 'it''s \\' a secret' WHERE id = 17",
                "UPDATE t2 SET c = ? WHERE id = ?",
            ),
            (
                "SELECT \"a\", 1.5e3, 0xff, -4 FROM `t 1`.u3",
                "SELECT ?, ?, ?, -? FROM `t 1`.u3",
            ),
            ("SELECT 'never closed", "SELECT ?"),
            ("CALL p(@x1, 5)", "CALL p(@x1, ?)"),
        ] {
            assert_eq!(without_values(sql), expected);
        }
    }

    #[test]
    fn texts_are_one_line_inert_and_bounded() {
        let error = Error::Server(ServerError {
            code: 1146,
            message: format!("Table \x1b[2J doesn't\nexist {}", "x".repeat(1000)),
            state: "42S02".to_owned(),
        });
        let failure = FirstFailure::new(0, &error, Some("SELECT\n  1".to_owned()));
        assert!(
            failure.text.starts_with("Table  [2J doesn't exist xxx"),
            "{failure:?}"
        );
        assert!(failure.text.ends_with("x...") && failure.text.len() == LONGEST + 3);
        assert_eq!(failure.statement.as_deref(), Some("SELECT ?"));
        let lost = Error::Io(IoError::Io(std::io::ErrorKind::BrokenPipe.into()));
        let failure = FirstFailure::new(0, &lost, None);
        assert_eq!(failure.text, "Input/output error: broken pipe");
    }
}
