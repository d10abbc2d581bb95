//! Connection for work that is not measured.

use std::ops::{Deref, DerefMut};

use mysql_async::Conn;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::server_stream::CONNECT_TIMEOUT;

/// Connection of the client library, with the relay between it and the server if there is one.
#[derive(Debug)]
pub struct ServerConn {
    conn: Conn,
    relay: Option<JoinHandle<()>>,
}

impl ServerConn {
    pub(crate) fn new(conn: Conn, relay: Option<JoinHandle<()>>) -> Self {
        Self { conn, relay }
    }

    /// Closes the connection in order, and waits until the server was told. It counts a connection that only ends as an
    /// aborted client.
    pub async fn disconnect(self) -> mysql_async::Result<()> {
        self.conn.disconnect().await?;
        if let Some(relay) = self.relay {
            // A server that reads nothing is not waited for longer than at a login.
            let _ = timeout(CONNECT_TIMEOUT, relay).await;
        }
        Ok(())
    }
}

impl Deref for ServerConn {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        &self.conn
    }
}

impl DerefMut for ServerConn {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}
