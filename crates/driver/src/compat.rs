//! What sysbench takes when it is not told otherwise.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Keys;

/// A release of sysbench whose defaults are to hold.
///
/// Statements, counts and range sizes are those of both already; the tables and the distribution of keys are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// 1.0, which draws `special` keys (`--rand-type`).
    Sysbench10,
    /// 1.1, which draws uniform ones and knows no special ones any more.
    Sysbench11,
}

impl Compat {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Sysbench10, Self::Sysbench11];

    /// The name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sysbench10 => "sysbench-1.0",
            Self::Sysbench11 => "sysbench-1.1",
        }
    }

    /// Distribution of keys (`--rand-type`).
    pub fn keys(self) -> Keys {
        match self {
            Self::Sysbench10 => Keys::SPECIAL,
            Self::Sysbench11 => Keys::Uniform,
        }
    }

    /// Number of tables (`--tables`).
    pub fn tables(self) -> u32 {
        1
    }

    /// Rows of each (`--table-size`).
    pub fn rows(self) -> u32 {
        10_000
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

/// No such release.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown release {0:?}: choose sysbench-1.0 or sysbench-1.1")]
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
        let special = Compat::ALL.map(|compat| compat.keys() == Keys::SPECIAL);
        assert_eq!(special, [true, false]);
    }
}
