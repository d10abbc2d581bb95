//! Error of a text file.

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
