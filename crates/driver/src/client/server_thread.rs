//! Thread of the server that serves a connection.

use logtrace_common::thread_handling::pools_threads;

use crate::client::Conn;

/// Queries for the thread of the current connection: in the Performance Schema of MySQL, and in the process list of
/// MariaDB. The other server answers with an error, or with no row.
pub const THREAD_QUESTIONS: [&str; 2] = [
    "SELECT CAST(THREAD_OS_ID AS UNSIGNED) FROM performance_schema.threads \
     WHERE PROCESSLIST_ID = CONNECTION_ID()",
    "SELECT CAST(TID AS UNSIGNED) FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()",
];

/// Returns the id of the thread in the PID namespace of the server; `None` if the server does not show it, or if a pool of
/// threads serves all connections.
pub(crate) async fn server_thread(conn: &mut Conn) -> Option<u32> {
    let handling = conn.query_first::<String>("SELECT @@thread_handling").await;
    // A server without this variable has one thread per connection.
    if matches!(handling, Ok(Some(handling)) if pools_threads(&handling)) {
        return None;
    }
    for question in THREAD_QUESTIONS {
        if let Ok(Some(thread)) = conn.query_first::<Option<u32>>(question).await {
            return thread;
        }
    }
    None
}
