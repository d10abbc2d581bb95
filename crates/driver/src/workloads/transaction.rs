//! BEGIN, COMMIT and ROLLBACK around the statements of a request.

use mysql_async::Error;

use crate::client::Conn;
use crate::workloads::Issued;
use crate::workloads::statement::Statement;

/// Statements that begin and end transactions on one connection.
pub(crate) struct Transaction {
    begin: Statement,
    commit: Statement,
    rollback: Statement,
}

impl Transaction {
    /// Returns BEGIN, COMMIT and ROLLBACK, which are sent as text until they are prepared.
    pub(crate) fn as_text() -> Self {
        Self::beginning_with("BEGIN")
    }

    /// Returns the same in every `sql_mode` of the server: in Oracle's, BEGIN starts a block (MariaDB).
    pub(crate) fn in_any_mode() -> Self {
        Self::beginning_with("START TRANSACTION")
    }

    fn beginning_with(begin: &str) -> Self {
        Self {
            begin: Statement::text(begin),
            commit: Statement::text("COMMIT"),
            rollback: Statement::text("ROLLBACK"),
        }
    }

    /// Prepares BEGIN and COMMIT, as far as the server prepares them. ROLLBACK stays text.
    pub(crate) async fn prepare(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        self.begin.prepare(conn).await?;
        self.commit.prepare(conn).await
    }

    /// Returns BEGIN, COMMIT and ROLLBACK.
    pub(crate) fn statements_mut(&mut self) -> Vec<&mut Statement> {
        vec![&mut self.begin, &mut self.commit, &mut self.rollback]
    }

    /// Does this work in a transaction, which is rolled back if the work asks for that or the server refuses a part of it.
    ///
    /// A lock wait that timed out undoes its statement alone: without ROLLBACK the next BEGIN would commit the statements
    /// before it.
    pub(crate) async fn run(
        &self,
        conn: &mut Conn,
        work: impl AsyncFnOnce(&mut Conn) -> mysql_async::Result<Issued>,
    ) -> mysql_async::Result<Issued> {
        let result = self.begin_and_end(conn, work).await;
        if let Err(Error::Server(_)) = result {
            self.rollback.execute(conn, Vec::new()).await?;
        }
        result
    }

    async fn begin_and_end(
        &self,
        conn: &mut Conn,
        work: impl AsyncFnOnce(&mut Conn) -> mysql_async::Result<Issued>,
    ) -> mysql_async::Result<Issued> {
        self.begin.execute(conn, Vec::new()).await?;
        let issued = work(conn).await?;
        let end = match issued {
            Issued::Done => &self.commit,
            Issued::RolledBack => &self.rollback,
        };
        end.execute(conn, Vec::new()).await?;
        Ok(issued)
    }
}
