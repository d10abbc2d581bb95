//! Names of tables, requests and columns, and problems with their place in the file.

use std::ops::Range;

/// Maximum length of a name on the servers.
const MAX_NAME: usize = 64;

/// Range in the file, and what is wrong there.
pub(super) type Problem = (Range<usize>, String);

/// Refuses an invalid name. Names are parts of statements and reports.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.chars().all(|c| is_first(c) || c.is_ascii_digit());
    if is_name && name.starts_with(is_first) && name.len() <= MAX_NAME {
        return Ok(());
    }
    Err(format!(
        "{name:?} is not a valid name: write at most {MAX_NAME} letters, digits and underscores, and no digit first"
    ))
}
