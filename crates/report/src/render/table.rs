//! A table before it is drawn: the same cells become aligned text, Markdown or HTML.

/// A header and rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// Names of the columns.
    pub(crate) header: Vec<&'static str>,
    /// Leading columns that hold words; the ones after them hold numbers, aligned at the right.
    pub(crate) words: usize,
    /// Cells, as many in each row as the header has.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Whether the column holds numbers.
    pub(crate) fn is_number(&self, column: &usize) -> bool {
        *column >= self.words
    }
}
