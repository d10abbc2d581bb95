//! What other programs take when they are not told otherwise.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::workloads::keys::distribution::Keys;
use crate::workloads::tpcc::profile::Profile;

/// A program whose defaults are to hold, where they differ from logtrace's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// sysbench 1.0, which draws `special` keys (`--rand-type`). Statements, counts and range sizes are those of both
    /// releases anyway.
    Sysbench10,
    /// sysbench 1.1, which draws uniform ones and knows no special ones any more.
    Sysbench11,
    /// sysbench-tpcc, for the TPC-C-like workload.
    SysbenchTpcc,
    /// DBT2, for the TPC-C-like workload.
    Dbt2,
}

/// Tables that sysbench's scripts use by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SysbenchTables {
    /// Distribution of keys (`--rand-type`).
    pub keys: Keys,
    /// Number of tables (`--tables`).
    pub tables: u32,
    /// Rows of each (`--table-size`).
    pub rows: u32,
}

impl Compat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sysbench10, Self::Sysbench11, Self::SysbenchTpcc, Self::Dbt2];

    /// The name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sysbench10 => "sysbench-1.0",
            Self::Sysbench11 => "sysbench-1.1",
            Self::SysbenchTpcc => "sysbench-tpcc",
            Self::Dbt2 => "dbt2",
        }
    }

    /// The tables of the workloads that are scripts of sysbench's; `None` for programs that have none.
    pub fn tables(self) -> Option<SysbenchTables> {
        let keys = match self {
            Self::Sysbench10 => Keys::SPECIAL,
            Self::Sysbench11 => Keys::Uniform,
            Self::SysbenchTpcc | Self::Dbt2 => return None,
        };
        Some(SysbenchTables {
            keys,
            tables: 1,
            rows: 10_000,
        })
    }

    /// What it makes of the TPC-C-like workload; `None` for programs that have none.
    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::Sysbench10 | Self::Sysbench11 => None,
            Self::SysbenchTpcc => Some(Profile::SysbenchTpcc),
            Self::Dbt2 => Some(Profile::Dbt2),
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Compat {
    type Err = UnknownCompat;

    fn from_str(text: &str) -> Result<Self, UnknownCompat> {
        Self::ALL
            .into_iter()
            .find(|compat| compat.name() == text)
            .ok_or_else(|| UnknownCompat(text.into()))
    }
}

/// No such program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown program {0:?}: choose sysbench-1.0 or sysbench-1.1, or for tpcc sysbench-tpcc or dbt2")]
pub struct UnknownCompat(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_only_the_old_release_has_special_keys() {
        for compat in Compat::ALL {
            assert_eq!(compat.to_string().parse(), Ok(compat));
        }
        assert!("sysbench-0.4".parse::<Compat>().is_err());
        let keys = Compat::ALL.map(|compat| compat.tables().map(|tables| tables.keys));
        assert_eq!(keys, [Some(Keys::SPECIAL), Some(Keys::Uniform), None, None]);
        for compat in Compat::ALL {
            assert_ne!(compat.tables().is_some(), compat.profile().is_some());
        }
    }
}
