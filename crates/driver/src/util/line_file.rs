//! Text files with one entry per line, and errors with line numbers.

use thiserror::Error;

/// Error in a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct FileError {
    /// Name of the file.
    pub name: String,
    /// Number of the line, from 1; `None` if the file as a whole is wrong.
    pub line: Option<usize>,
    /// Problem, and what to write.
    pub problem: String,
}

impl FileError {
    /// Creates an error.
    pub fn new(name: impl Into<String>, line: Option<usize>, problem: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            line,
            problem: problem.into(),
        }
    }
}

/// Returns the lines that are not empty, with their numbers from 1, without comments (from `#` on) and outer blanks.
pub(crate) fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| (index + 1, line))
}
