//! Connections to the server.
//!
//! Requests go over [`connection`], a small client on `mysql_common`. Everything that is not measured (tables, checks)
//! goes over `mysql_async`.

pub(crate) mod connection;
#[cfg(test)]
mod fuzz;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod handshake;
mod packets;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod public_key;
#[cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
mod result_set;
pub(crate) mod server_thread;
pub(crate) mod session_check;
mod socket;
pub(crate) mod target;
pub(crate) mod thread_numbers;
mod tls;
