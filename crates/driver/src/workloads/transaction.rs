//! BEGIN and COMMIT around the statements of a request.

use crate::client::connection::Conn;
use crate::workloads::statement::Ready;

/// The edges of transactions, ready on one connection.
pub(crate) struct Transaction {
    begin: Ready,
    commit: Ready,
    /// Always text.
    rollback: Ready,
}

impl Transaction {
    /// Sent as text until they are prepared.
    pub(crate) fn as_text() -> Self {
        Self {
            begin: Ready::text("BEGIN"),
            commit: Ready::text("COMMIT"),
            rollback: Ready::text("ROLLBACK"),
        }
    }

    /// Prepares BEGIN and COMMIT where the server does that.
    pub(crate) async fn prepare(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        self.begin.prepare(conn).await?;
        self.commit.prepare(conn).await
    }

    /// Does this work in a transaction, which is rolled back when the server refuses a part of it.
    pub(crate) async fn around(
        &self,
        conn: &mut Conn,
        work: impl AsyncFnOnce(&mut Conn) -> mysql_async::Result<()>,
    ) -> mysql_async::Result<()> {
        let done = self.whole(conn, work).await;
        self.rollback.if_refused(conn, done).await
    }

    async fn whole(
        &self,
        conn: &mut Conn,
        work: impl AsyncFnOnce(&mut Conn) -> mysql_async::Result<()>,
    ) -> mysql_async::Result<()> {
        self.begin.send(conn, Vec::new()).await?;
        work(conn).await?;
        self.commit.send(conn, Vec::new()).await
    }
}
