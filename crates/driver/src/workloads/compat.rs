//! Defaults of other programs.

use logtrace_common::UnknownName;
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::workloads::keys::Keys;
use crate::workloads::tpcc::profile::Profile;

/// Program whose defaults are used where they differ from logtrace's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum Compat {
    /// sysbench 1.0, which draws `special` keys (`--rand-type`). Statements, counts and range sizes are the same in both
    /// releases, and are logtrace's defaults.
    #[strum(serialize = "sysbench-1.0")]
    Sysbench10,
    /// sysbench 1.1, which draws uniform keys and has no special keys.
    #[strum(serialize = "sysbench-1.1")]
    Sysbench11,
    /// sysbench-tpcc, for the TPC-C-like workload.
    SysbenchTpcc,
    /// DBT2, for the TPC-C-like workload.
    Dbt2,
}

/// Default tables of sysbench's scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SysbenchTables {
    /// Distribution of keys (`--rand-type`).
    pub keys: Keys,
    /// Number of tables (`--tables`).
    pub tables: u32,
    /// Number of rows of each table (`--table-size`).
    pub rows: u32,
}

impl Compat {
    /// Returns the name in commands and reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the default tables of sysbench's workloads, or `None` for programs without such workloads.
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

    /// Returns the profile of the TPC-C-like workload, or `None` for programs without such a workload.
    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::Sysbench10 | Self::Sysbench11 => None,
            Self::SysbenchTpcc => Some(Profile::SysbenchTpcc),
            Self::Dbt2 => Some(Profile::Dbt2),
        }
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new("program", name, <Compat as VariantNames>::VARIANTS)
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn names_are_read_back_and_only_the_old_release_has_special_keys() {
        for compat in Compat::iter() {
            assert_eq!(compat.to_string().parse(), Ok(compat));
        }
        let error = "sysbench-0.4".parse::<Compat>().unwrap_err().to_string();
        assert!(
            error.ends_with("choose sysbench-1.0, sysbench-1.1, sysbench-tpcc or dbt2"),
            "{error}"
        );
        let keys = Compat::iter().map(|compat| compat.tables().map(|tables| tables.keys));
        assert!(keys.eq([Some(Keys::SPECIAL), Some(Keys::Uniform), None, None]));
        for compat in Compat::iter() {
            assert_ne!(compat.tables().is_some(), compat.profile().is_some());
        }
    }
}
