//! Reasons why a load, a drive or a check of tables failed.

use logtrace_common::{ConnectError, Variable, told};
use mysql_async::Error;

use crate::util::marker::MARKER;

/// Errors of missing rights: `ER_DBACCESS_DENIED_ERROR`, `ER_TABLEACCESS_DENIED_ERROR`, `ER_COLUMNACCESS_DENIED_ERROR`,
/// `ER_SPECIFIC_ACCESS_DENIED_ERROR` and `ER_PROCACCESS_DENIED_ERROR`. Their texts are in the server's language.
const DENIED: [u16; 5] = [1044, 1142, 1143, 1227, 1370];

/// Error of the driver. It has a variant where callers react to the reason, and a text for all others.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The server cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The caller cancelled the drive before the window.
    #[error("cancelled before anything was measured")]
    Cancelled,
    /// The server does not know a session variable, or refuses its value.
    #[error("cannot set {variable} for the session of a connection: {}", told(.reason))]
    Session {
        /// Variable and its value.
        variable: Variable,
        /// Error of the server.
        reason: Error,
    },
    /// The database does not belong to logtrace.
    #[error(
        "the database {0:?} was not created by logtrace (it has no table {MARKER}), so it is not changed: \
         give the name of a database that does not exist yet"
    )]
    NotOurs(String),
    /// The database does not exist and must not be created.
    #[error(
        "the database {0:?} does not exist: let logtrace create it, or create it with CREATE DATABASE and mark it with \
         CREATE TABLE {MARKER} (id INT PRIMARY KEY)"
    )]
    NoDatabase(String),
    /// The server refuses a statement of a workload file.
    #[error("{place}: the server refuses it: {}. The statement: {sql}", told(.reason))]
    Refused {
        /// File, and where in it the statement is.
        place: String,
        /// Statement.
        sql: String,
        /// Error of the server.
        reason: Error,
    },
    /// A statement failed.
    #[error("cannot {doing}: {}", told(.reason))]
    Sql {
        /// Purpose of the statement.
        doing: String,
        /// Error of the server.
        reason: Error,
    },
    /// Any other reason.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl DriveError {
    /// Returns whether the account lacks rights.
    pub fn is_denied(&self) -> bool {
        match self {
            Self::Sql {
                reason: Error::Server(error),
                ..
            }
            | Self::Refused {
                reason: Error::Server(error),
                ..
            } => DENIED.contains(&error.code),
            _ => false,
        }
    }
}

/// Returns the error of a statement with this purpose.
pub(crate) fn failed(doing: impl Into<String>) -> impl FnOnce(Error) -> DriveError {
    let doing = doing.into();
    |reason| DriveError::Sql { doing, reason }
}
