//! Reading TOML files: what is wrong is said with its line.

use std::ops::Range;

use serde::de::DeserializeOwned;

use crate::util::line_file::FileError;

/// Reads the text of a file; `name` is for errors.
pub fn read_toml<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let (span, problem) = parsers(&error, text);
        FileError::at(name, toml_line(text, span.start), problem)
    })
}

/// The number of the line that has the byte at this place, from 1.
pub fn toml_line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

/// The parser's own words, but where they name no remedy, or it takes a text without quotes for the beginning of something
/// else.
fn parsers(error: &toml::de::Error, text: &str) -> (Range<usize>, String) {
    let span = error.span().unwrap_or_default();
    let problem = error.message().trim().replace('\n', ", ");
    if problem == "duplicate key" {
        let key = text.get(span.clone()).unwrap_or_default();
        return (
            span,
            format!("duplicate key: {key} is there twice, leave one of them out"),
        );
    }
    let problem = match bare_word(text, span.clone()) {
        Some(word) if !problem.contains(word) => {
            format!("{word} cannot stand here by itself: write a text in quotes, as {word:?}")
        }
        _ => problem,
    };
    (span, problem)
}

/// A word in the place of a value, behind `=`.
fn bare_word(text: &str, span: Range<usize>) -> Option<&str> {
    let is_value = text.get(..span.start)?.trim_end().ends_with('=');
    let word = text.get(span)?.trim();
    let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_value && is_word && word.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(word)
}
