//! Text files with one entry per line, and errors with line numbers.

use thiserror::Error;

/// Error in a file, with its line if known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// A line is wrong.
    #[error("{name}:{line}: {problem}")]
    Line {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Problem, and what to write.
        problem: String,
    },
    /// The file as a whole is wrong.
    #[error("{name}: {problem}")]
    Whole {
        /// Name of the file.
        name: String,
        /// Problem, and what to write.
        problem: String,
    },
}

impl FileError {
    /// Creates an error in a line.
    pub(crate) fn at(name: &str, line: usize, problem: String) -> Self {
        Self::Line {
            name: name.into(),
            line,
            problem,
        }
    }

    /// Creates an error in the whole file.
    pub(crate) fn of(name: &str, problem: String) -> Self {
        Self::Whole {
            name: name.into(),
            problem,
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
