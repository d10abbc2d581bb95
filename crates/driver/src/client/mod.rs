//! Connections to the server.
//!
//! Requests go over [`connection`], a small client on `mysql_common`. Everything that is not measured (tables, checks)
//! goes over `mysql_async`.

pub(crate) mod connection;
mod handshake;
mod packets;
mod result_set;
pub(crate) mod server_thread;
pub(crate) mod session_check;
mod socket;
pub(crate) mod target;
mod tls;
