//! Lock on a running server: only one logtrace changes a server at a time, on whichever machine it runs.

use anyhow::{Context, anyhow};
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use tokio::time::timeout;

use crate::attached::change_note::ChangeNote;
use crate::attached::unmarked_database::{drop_if_empty, exists};
use crate::error::ServerError;
use crate::settings::global_session::GlobalSession;
use logtrace_common::{CONNECT_TIMEOUT, ConnectError, Connection, Flavor, ServerConn};

/// Name of the lock. The server drops it when the connection that holds it ends (`GET_LOCK` of both servers).
const NAME: &str = "logtrace";

/// Seconds that a logtrace which was just killed may hold the lock: until the server has noticed.
const PATIENCE_S: u32 = 2;

// The limits of its statements hold whatever `sql_select_limit` is: without rows, nobody would seem to hold the lock.

/// Lock on a server, held by a connection of its own.
///
/// Statements that change global variables are sent over it: the server gives the lock to no other logtrace before it has
/// executed what a killed one sent.
#[derive(Debug)]
pub(crate) struct ServerLock {
    conn: ServerConn,
}

impl ServerLock {
    /// Takes the lock. Fails with the name of its holder if there is one.
    pub(crate) async fn acquire(connection: &Connection) -> Result<Self, ServerError> {
        let explain = |error| connection.explain(error);
        let mut conn = connection.connect().await?;
        let locked = format!("SELECT GET_LOCK('{NAME}', {PATIENCE_S}) LIMIT 1");
        let locked: Option<Option<u8>> = conn.query_first(locked).await.map_err(explain)?;
        if locked.flatten() == Some(1) {
            return Ok(Self { conn });
        }
        let holder = holder(&mut conn).await.map_err(explain)?;
        connection.disconnect(conn).await?;
        Err(anyhow!(
            "another logtrace measures the server on {}: {holder} holds the lock '{NAME}'. Wait until it is done, or end \
             it. The server keeps a connection that the network lost for hours: KILL ends it there",
            connection.endpoint
        )
        .into())
    }

    /// Returns whether this connection still holds the lock. It does not after the server ended the connection, and no answer
    /// in time counts as that: the connection may be lost in between, where neither end is told.
    ///
    /// A server that answers nobody is then named by the error of the next login.
    pub(crate) async fn is_held(&mut self) -> bool {
        let sql = format!("SELECT IS_USED_LOCK('{NAME}') = CONNECTION_ID() LIMIT 1");
        let asked = timeout(CONNECT_TIMEOUT, self.conn.query_first::<Option<bool>, _>(sql));
        let held = asked.await.map(|held| held.map(Option::flatten));
        matches!(held, Ok(Ok(Some(true))))
    }

    /// Returns the session that holds the lock, for global variables.
    pub(crate) fn session<'a>(&'a mut self, connection: &'a Connection, flavor: Flavor) -> GlobalSession<'a> {
        GlobalSession::new(connection, flavor, &mut self.conn)
    }

    /// Returns whether a database exists, as far as the account may know.
    pub(crate) async fn database_exists(
        &mut self,
        connection: &Connection,
        database: &str,
    ) -> Result<bool, ServerError> {
        let exists = exists(&mut self.conn, database).await;
        Ok(exists.map_err(|error| connection.explain(error))?)
    }

    /// Drops the database that a run made and did not mark, if nobody has put anything into it. One with tables of the run is
    /// not empty.
    pub(crate) async fn drop_unmarked(
        &mut self,
        connection: &Connection,
        note: &ChangeNote,
    ) -> Result<(), ServerError> {
        let Some(database) = note.unmarked_database() else {
            return Ok(());
        };
        let dropped = drop_if_empty(&mut self.conn, database).await;
        let dropped = dropped.map_err(|error| connection.explain(error));
        Ok(dropped.with_context(|| format!("cannot drop the empty database {database}"))?)
    }

    /// Gives the lock back.
    pub(crate) async fn release(self, connection: &Connection) -> Result<(), ConnectError> {
        connection.disconnect(self.conn).await
    }
}

/// Describes the connection that holds the lock.
async fn holder(conn: &mut Conn) -> mysql_async::Result<String> {
    let id: Option<Option<u64>> = conn
        .query_first(format!("SELECT IS_USED_LOCK('{NAME}') LIMIT 1"))
        .await?;
    let Some(id) = id.flatten() else {
        return Ok("a connection that has just ended".to_owned());
    };
    // As text: the server may have no room for a prepared statement.
    let sql = format!("SELECT user, host FROM information_schema.processlist WHERE id = {id} LIMIT 1");
    // Without the privilege PROCESS there is no row.
    let account: Option<(String, String)> = conn.query_first(sql).await.unwrap_or_default();
    Ok(match account {
        Some((user, host)) => format!("connection {id} of user {user} from {host}"),
        None => format!("connection {id}"),
    })
}
