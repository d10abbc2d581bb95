//! Table before it is drawn: the same cells become aligned text, Markdown or HTML.

use logtrace_attribution::breakdown::Distribution;
use logtrace_common::units;

/// Header and rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// Names of the columns.
    pub(crate) header: Vec<&'static str>,
    /// Number of leading columns with words; the others hold numbers, aligned at the right.
    pub(crate) words: usize,
    /// Cells, as many in each row as the header has.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table, or `None` if there are no rows.
    pub(crate) fn new<const N: usize>(
        words: usize,
        header: [&'static str; N],
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Option<Self> {
        let rows: Vec<_> = rows.collect();
        (!rows.is_empty()).then(|| Self {
            header: header.to_vec(),
            words,
            rows,
        })
    }

    /// Returns whether the column holds numbers.
    pub(crate) fn is_number(&self, column: &usize) -> bool {
        *column >= self.words
    }
}

/// Returns the cells p50, p90, p99, p99.9 and max of a distribution.
pub(crate) fn percentiles(times: &Distribution) -> [String; 5] {
    [times.p50, times.p90, times.p99, times.p999, times.max].map(units::duration)
}
