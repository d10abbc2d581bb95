//! TOML files, and errors with line numbers.

use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::file_error::FileError;

/// Reads the text of a file. Errors show the name.
pub fn read_toml<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let (span, problem) = message(&error, text);
        FileError::new(name, Some(toml_line(text, span.start)), problem)
    })
}

/// Returns the number of the line, from 1, that holds the byte at offset `at`.
pub fn toml_line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

/// Returns the parser's message, or a better one where the parser names no remedy or mistakes an unquoted text.
fn message(error: &toml::de::Error, text: &str) -> (Range<usize>, String) {
    let span = error.span().unwrap_or_default();
    let problem = error.message().trim().replace('\n', ", ");
    if problem == "duplicate key" {
        let key = text.get(span.clone()).unwrap_or_default();
        return (
            span,
            format!("duplicate key: {key} is set twice, remove one of them"),
        );
    }
    let problem = match bare_word(text, span.clone()) {
        Some(word) if !problem.contains(word) => {
            format!("{word} needs quotes here: write {word:?}")
        }
        _ => problem,
    };
    (span, problem)
}

/// Returns the unquoted word after `=`, if the error is about one.
fn bare_word(text: &str, span: Range<usize>) -> Option<&str> {
    let is_value = text.get(..span.start)?.trim_end().ends_with('=');
    let word = text.get(span)?.trim();
    let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_value && is_word && word.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(word)
}
