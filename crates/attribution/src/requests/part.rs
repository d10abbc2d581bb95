//! Parts of a response time.

use strum::{EnumCount, EnumIter, IntoStaticStr};

/// Part of a response time, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EnumCount, EnumIter, IntoStaticStr)]
pub enum Part {
    /// Lag of the client: sent - due.
    #[strum(serialize = "lag")]
    Lag,
    /// Client and network, in both directions and between the statements of a transaction.
    #[strum(serialize = "client and network")]
    Client,
    /// Server before its commit, or all of the server's time without a commit.
    #[strum(serialize = "server before commit")]
    BeforeCommit,
    /// Commit.
    #[strum(serialize = "commit")]
    Commit,
    /// Server after its commit, until it waited for the client again or the client had its answer.
    #[strum(serialize = "server after commit")]
    AfterCommit,
}

impl Part {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
