//! Counts of lost records.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Records that did not reach the analysis, or did not fit into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// Records that the kernel side could not store: the ring or a table was full.
    pub lost: u64,
    /// Bytes that are not a record.
    pub undecodable: u64,
    /// Ends without a start, and starts that were replaced before their end came.
    pub unmatched: u64,
}

impl Losses {
    /// Returns whether no record was lost.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        // Naming every field makes a new one a compile error here.
        let Self {
            lost,
            undecodable,
            unmatched,
        } = other;
        self.lost += lost;
        self.undecodable += undecodable;
        self.unmatched += unmatched;
    }
}
