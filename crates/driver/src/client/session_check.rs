//! Setting of session variables, and the check of them before anything is measured.

use mysql_async::prelude::Queryable;
use thiserror::Error;

use crate::client::connection::Conn;
use crate::client::session_variable::SessionVariable;
use crate::client::target::{ConnectError, Target, Use};

/// Failure to set session variables.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The server cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server does not know a variable, or refuses its value.
    #[error("cannot set {variable} for the session of a connection")]
    Refused {
        /// Variable and its value.
        variable: SessionVariable,
        /// Error of the server.
        reason: mysql_async::Error,
    },
}

impl Target {
    /// Sets these variables for one session, which then ends. The database need not exist.
    ///
    /// Fails with [`SessionError::Refused`] at the first variable that the server does not know or refuses to set.
    pub async fn check_session(&self, variables: &[SessionVariable]) -> Result<(), SessionError> {
        let mut conn = self.connect(Use::Nothing).await?;
        for variable in variables {
            let set = conn.query_drop(variable.statement()).await;
            set.map_err(|source| refused(variable, source))?;
        }
        // If the session does not end in order, the server ends it.
        let _ = conn.disconnect().await;
        Ok(())
    }
}

/// Sets these variables for the session of a connection.
pub(crate) async fn set_session(conn: &mut Conn, variables: &[SessionVariable]) -> Result<(), SessionError> {
    for variable in variables {
        let set = conn.query_drop(&variable.statement()).await;
        set.map_err(|source| refused(variable, source))?;
    }
    Ok(())
}

fn refused(variable: &SessionVariable, reason: mysql_async::Error) -> SessionError {
    SessionError::Refused {
        variable: variable.clone(),
        reason,
    }
}
