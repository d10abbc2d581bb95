//! Numbers of causes, for tables of totals with a column for each.

use rustc_hash::FxHashMap;

use crate::causes::Cause;

/// Causes in the order in which they were first seen: the usual ones are the first ones.
#[derive(Debug, Default)]
pub(crate) struct CauseIndex {
    causes: Vec<Cause>,
    /// Index in `causes`, by [`Cause::number`].
    index: FxHashMap<u32, usize>,
}

impl CauseIndex {
    /// Returns the index of a cause, a new one if it has none.
    pub(crate) fn of(&mut self, cause: Cause) -> usize {
        *self.index.entry(cause.number()).or_insert_with(|| {
            self.causes.push(cause);
            self.causes.len() - 1
        })
    }

    pub(crate) fn causes(&self) -> &[Cause] {
        &self.causes
    }
}

/// Adds time to the total of the cause with this index.
pub(crate) fn add_ns(totals: &mut Vec<u64>, at: usize, ns: u64) {
    if totals.len() <= at {
        totals.resize(at + 1, 0);
    }
    totals[at] += ns;
}
