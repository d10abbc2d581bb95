//! The two clients, each on one connection with update_key's statements.

use logtrace_benchkit::tables::DATASET;
use logtrace_common::{Connection, ServerConn, SessionUse};
use logtrace_driver::client_parts::{Call, Conn, StatementHandle};
use mysql_async::prelude::Queryable;

/// Connection of a client with a prepared UPDATE for each table.
pub(crate) trait Client: Sized + 'static {
    /// Connects and prepares.
    async fn connect(server: &Connection) -> anyhow::Result<Self>;

    /// Sends the UPDATE of a row, and waits for the answer.
    async fn update(&mut self, table: usize, key: i64) -> mysql_async::Result<()>;

    /// Closes the connection.
    async fn disconnect(self) -> anyhow::Result<()>;
}

/// The client of logtrace's driver.
pub(crate) struct OwnClient {
    conn: Conn,
    updates: Vec<StatementHandle>,
}

/// `mysql_async`.
pub(crate) struct LibraryClient {
    conn: ServerConn,
    updates: Vec<mysql_async::Statement>,
}

impl Client for OwnClient {
    async fn connect(server: &Connection) -> anyhow::Result<Self> {
        let mut conn = Conn::connect(server, server.database.as_deref()).await?;
        // What a connection of the library sets, too.
        let send = async |sql: String| conn.rows(&Call::Query(sql)).await;
        server.set_up_session(SessionUse::Unmeasured, &[], send).await?;
        let mut updates = Vec::new();
        for sql in statements() {
            updates.push(conn.prepare(&sql).await?);
        }
        Ok(Self { conn, updates })
    }

    async fn update(&mut self, table: usize, key: i64) -> mysql_async::Result<()> {
        let call = Call::Execute(self.updates[table], vec![key.into()]);
        self.conn.execute(&call).await
    }

    async fn disconnect(self) -> anyhow::Result<()> {
        Ok(self.conn.disconnect().await?)
    }
}

impl Client for LibraryClient {
    async fn connect(server: &Connection) -> anyhow::Result<Self> {
        let mut conn = server.connect().await?;
        let mut updates = Vec::new();
        for sql in statements() {
            updates.push(conn.prep(sql).await?);
        }
        Ok(Self { conn, updates })
    }

    async fn update(&mut self, table: usize, key: i64) -> mysql_async::Result<()> {
        self.conn.exec_drop(&self.updates[table], (key,)).await
    }

    async fn disconnect(self) -> anyhow::Result<()> {
        Ok(self.conn.disconnect().await?)
    }
}

fn statements() -> impl Iterator<Item = String> {
    (1..=DATASET.tables).map(|table| format!("UPDATE sbtest{table} SET k=k+1 WHERE id=?"))
}
