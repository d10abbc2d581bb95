//! The tables that a workload uses.

use thiserror::Error;

use crate::workloads::keys::distribution::Keys;

/// Tables `sbtest1` to `sbtestN` of the same size, their content fixed by a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// Number of tables.
    pub tables: u32,
    /// Rows of each.
    pub rows: u32,
    /// Distribution of the keys: of the requests, and of column `k` when the tables are loaded.
    pub keys: Keys,
    /// Fixes the content, the arrivals and the values of every request.
    pub seed: u64,
}

#[cfg(test)]
impl Dataset {
    /// For requests that draw nothing from such tables.
    pub(crate) const UNUSED: Self = Self {
        tables: 1,
        rows: 1,
        keys: Keys::Uniform,
        seed: 1,
    };
}

/// Row ids are of the server's type INTEGER.
const MOST_ROWS: u32 = i32::MAX as u32;

impl Dataset {
    /// Refuses a dataset that no table can hold.
    pub(crate) fn check(&self) -> Result<(), DatasetError> {
        if self.tables == 0 {
            Err(DatasetError::NoTables)
        } else if self.rows == 0 || self.rows > MOST_ROWS {
            Err(DatasetError::Rows(self.rows))
        } else {
            Ok(())
        }
    }

    /// Rows of all tables together.
    pub fn total_rows(&self) -> u64 {
        u64::from(self.tables) * u64::from(self.rows)
    }
}

/// Why there can be no such dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DatasetError {
    /// Requests would have nowhere to go.
    #[error("a dataset of 0 tables: give at least one table")]
    NoTables,
    /// Rows are numbered from 1 in a column of type INTEGER.
    #[error("{0} rows a table: give 1 to 2147483647")]
    Rows(u32),
}
