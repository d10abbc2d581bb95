//! How much is traced.

use std::fmt;
use std::str::FromStr;

/// A ladder: each level sees what the one below sees, and more, and costs more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Commits, and whom they wait for: no files, no kernel stacks.
    Commit,
    /// Also each I/O system call, with its file and what it waits for in the kernel.
    #[default]
    Io,
    /// Also the flushes of the devices, which tell a queued flush from the device's own, and what the server states of
    /// its groups of commits.
    Full,
}

impl Detail {
    /// All levels, from the cheapest.
    pub const ALL: [Self; 3] = [Self::Commit, Self::Io, Self::Full];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Io => "io",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Detail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let level = Self::ALL.into_iter().find(|level| level.as_str() == text);
        level.ok_or_else(|| "the levels are commit, io and full".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_have_names() {
        assert!(Detail::ALL.is_sorted());
        for level in Detail::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("everything".parse::<Detail>().is_err());
    }
}
