//! The file that a plan was read from: its errors name it, the line, what is wrong and what to write.

use std::ops::Range;

use logtrace_driver::{FileError, toml_line};

/// A file's name and text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// What is wrong at a place of the text.
    pub(crate) fn error(&self, span: Range<usize>, problem: impl Into<String>) -> FileError {
        self.error_at(self.line(span), problem)
    }

    /// What is wrong in a line.
    pub(crate) fn error_at(&self, line: usize, problem: impl Into<String>) -> FileError {
        FileError::Line {
            name: self.name.to_owned(),
            line,
            problem: problem.into(),
        }
    }

    /// What is wrong with the file as a whole.
    pub(crate) fn whole(&self, problem: impl Into<String>) -> FileError {
        FileError::Whole {
            name: self.name.to_owned(),
            problem: problem.into(),
        }
    }

    /// The number of the line in which something begins, from 1.
    pub(crate) fn line(&self, span: Range<usize>) -> usize {
        toml_line(self.text, span.start)
    }
}

/// Names in a sentence.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
