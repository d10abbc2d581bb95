//! Size, keys and seed of the tables.

use anyhow::ensure;

use crate::workloads::keys::Keys;

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
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let Self { tables, rows, .. } = self;
        ensure!(*tables > 0, "the number of tables is 0: give at least 1");
        ensure!(
            (1..=MAX_ROWS).contains(rows),
            "the number of rows per table is {rows}: give 1 to {MAX_ROWS}"
        );
        Ok(())
    }

    /// Returns the number of rows of all tables.
    pub fn total_rows(&self) -> u64 {
        u64::from(self.tables) * u64::from(self.rows)
    }
}
