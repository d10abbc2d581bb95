//! The system variable `thread_handling` of both servers: which threads serve the connections.

/// Value for a server that does not tell. It is not a value of the servers.
pub const UNKNOWN: &str = "unknown";

/// Names of its values by number, in MySQL (sql/sys_vars.cc). A plugin's pool of threads is the last one.
pub const OF_MYSQL: [&str; 3] = ["one-thread-per-connection", "no-threads", "loaded-dynamically"];

/// Names of its values by number, in MariaDB (sql/sys_vars.cc).
pub const OF_MARIADB: [&str; 3] = ["one-thread-per-connection", "no-threads", "pool-of-threads"];

/// Returns whether a thread may serve many connections with this value, one statement after another.
pub fn pools_threads(handling: &str) -> bool {
    !["one-thread-per-connection", "no-threads"].contains(&handling)
}
