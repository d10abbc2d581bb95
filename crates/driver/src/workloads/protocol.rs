//! How statements reach the server.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How statements are sent (sysbench's `--db-ps-mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once a connection, then executed with binary parameters (`auto`).
    Prepared,
    /// As text, values and all (`disable`).
    Text,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Prepared, Self::Text];

    /// The name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Self, UnknownProtocol> {
        Self::ALL
            .into_iter()
            .find(|protocol| protocol.name() == text)
            .ok_or_else(|| UnknownProtocol(text.into()))
    }
}

/// No such protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown protocol {0:?}: choose prepared or text")]
pub struct UnknownProtocol(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.to_string().parse(), Ok(protocol));
        }
        assert!("binary".parse::<Protocol>().is_err());
    }
}
