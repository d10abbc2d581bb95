//! Which thread of the server serves a connection.

use crate::client::connection::Conn;

/// What asks for the thread of the connection that asks: MySQL tells it in the Performance Schema, MariaDB in the list of
/// processes. The other server answers with an error, or with no row.
pub const THREAD_QUESTIONS: [&str; 2] = [
    "SELECT CAST(THREAD_OS_ID AS UNSIGNED) FROM performance_schema.threads \
     WHERE PROCESSLIST_ID = CONNECTION_ID()",
    "SELECT CAST(TID AS UNSIGNED) FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()",
];

/// The thread's id in the system; `None` where the server does not tell, or where its threads serve whatever
/// connection has something to do.
pub(crate) async fn server_thread(conn: &mut Conn) -> Option<u32> {
    if pools_threads(conn).await {
        return None;
    }
    for question in THREAD_QUESTIONS {
        if let Ok(Some(thread)) = conn.query_first::<Option<u32>>(question).await {
            return thread;
        }
    }
    None
}

async fn pools_threads(conn: &mut Conn) -> bool {
    let handling = conn.query_first::<String>("SELECT @@thread_handling").await;
    // A server that does not say has a thread for each connection.
    handling.is_ok_and(|handling| handling.is_some_and(|handling| handling.contains("pool")))
}
