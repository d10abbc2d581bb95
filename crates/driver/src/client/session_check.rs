//! Whether a server takes session variables, asked before anything is measured.

use mysql_async::prelude::Queryable;

use crate::client::session_variable::SessionVariable;
use crate::client::target::{Target, Use};
use crate::engine::drive::DriveError;

impl Target {
    /// Sets these variables for a session of its own, which then ends. The database need not be there.
    ///
    /// Fails with [`DriveError::Session`] at the first one that the server does not know or whose value it refuses.
    pub async fn check_session(&self, variables: &[SessionVariable]) -> Result<(), DriveError> {
        let mut conn = self.connect(Use::Nothing).await?;
        for variable in variables {
            let set = conn.query_drop(variable.statement()).await;
            set.map_err(|source| DriveError::Session {
                variable: variable.clone(),
                source,
            })?;
        }
        // A session that does not end in order is the server's to end.
        let _ = conn.disconnect().await;
        Ok(())
    }
}
