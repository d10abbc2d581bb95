//! Counts of lost records.

/// Records that did not reach the analysis, or did not fit into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Records that the kernel side could not store: the ring or a table was full.
    pub lost: u64,
    /// Bytes that are not a record.
    pub undecodable: u64,
    /// Ends without a start, and starts that were replaced before their end came.
    pub unmatched: u64,
}
