//! Size, keys and seed of the tables.

use thiserror::Error;

use crate::workloads::keys::distribution::Keys;

/// Tables `sbtest1` to `sbtestN` of the same size. The seed fixes their content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dataset {
    /// Number of tables.
    pub tables: u32,
    /// Number of rows of each table.
    pub rows: u32,
    /// Distribution of the keys in requests, and of column `k` when the tables are loaded.
    pub keys: Keys,
    /// Seed of the content, the arrivals and the values of every request.
    pub seed: u64,
}

#[cfg(test)]
impl Dataset {
    /// Dataset for requests that draw nothing from it.
    pub(crate) const UNUSED: Self = Self {
        tables: 1,
        rows: 1,
        keys: Keys::Uniform,
        seed: 1,
    };
}

/// Maximum number of rows: row ids are of the server's type INTEGER.
const MAX_ROWS: u32 = i32::MAX as u32;

impl Dataset {
    /// Refuses a dataset that tables cannot hold.
    pub(crate) fn check(&self) -> Result<(), DatasetError> {
        if self.tables == 0 {
            Err(DatasetError::NoTables)
        } else if self.rows == 0 || self.rows > MAX_ROWS {
            Err(DatasetError::Rows(self.rows))
        } else {
            Ok(())
        }
    }

    /// Returns the number of rows of all tables.
    pub fn total_rows(&self) -> u64 {
        u64::from(self.tables) * u64::from(self.rows)
    }
}

/// Reason why a dataset is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DatasetError {
    /// Dataset without tables.
    #[error("the number of tables is 0: give at least 1")]
    NoTables,
    /// Number of rows that does not fit a column of type INTEGER.
    #[error("the number of rows per table is {0}: give 1 to 2147483647")]
    Rows(u32),
}
