//! File of a plan. Errors name the file, the line, what is wrong, and what to write instead.

use std::ops::Range;

use logtrace_common::{FileError, toml_line};

/// Name and text of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
}

impl PlanFile<'_> {
    /// Returns an error about a range of the text.
    pub(crate) fn error(&self, span: Range<usize>, problem: impl Into<String>) -> FileError {
        self.error_at(self.line(span), problem)
    }

    /// Returns an error about a line, or about the whole file.
    pub(crate) fn error_at(&self, line: impl Into<Option<usize>>, problem: impl Into<String>) -> FileError {
        FileError::new(self.name, line.into(), problem)
    }

    /// Returns the number of the line in which a range begins, from 1.
    pub(crate) fn line(&self, span: Range<usize>) -> usize {
        toml_line(self.text, span.start)
    }
}

/// Lists names in a sentence.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}
