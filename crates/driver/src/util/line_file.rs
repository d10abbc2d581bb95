//! Text files of one thing a line, read with the numbers of their lines.

use thiserror::Error;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileError {
    /// A line cannot be meant.
    #[error("{name}:{line}: {problem}")]
    Line {
        /// The file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong, and what to write.
        problem: String,
    },
    /// The file as a whole cannot be meant.
    #[error("{name}: {problem}")]
    Whole {
        /// The file.
        name: String,
        /// What is wrong, and what to write.
        problem: String,
    },
}

impl FileError {
    /// Of a line.
    pub(crate) fn at(name: &str, line: usize, problem: String) -> Self {
        Self::Line {
            name: name.into(),
            line,
            problem,
        }
    }

    /// Of the whole file.
    pub(crate) fn of(name: &str, problem: String) -> Self {
        Self::Whole {
            name: name.into(),
            problem,
        }
    }
}

/// The lines that say something, with their numbers from 1: no blanks at their ends, no comments (from `#` on).
pub(crate) fn telling(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| (index + 1, line))
}
