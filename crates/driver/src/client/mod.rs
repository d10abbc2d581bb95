//! Connections to the server.
//!
//! Requests go over [`connection`], a small client on `mysql_common`. Everything that is not measured (tables, checks)
//! goes over `mysql_async`.
//!
//! The client for requests is code of our own although `mysql_async` exists, because what a client does on the server's CPUs
//! looks like the server's work. tokio's sockets, which `mysql_async` uses and hides, wake a client once more for each
//! request (see `socket`); `mysql` hides its sockets, too. `scripts/client-cost --against mysql_async` compares both:
//! the same UPDATEs at the same due times, one thread each, 8 connections, windows of 3 s, two CPUs, 28 and
//! 29 November 2026. CPU time a request, `mysql_async` to this client (95 %), and this client a second time as a control:
//!
//! - MySQL 9.7.4, nothing else running, 500/s, 12 rounds: 1.16 (1.11 to 1.21), control 0.96 (0.93 to 1.02)
//! - MySQL 9.7.4, beside builds, 2,000/s, 9 rounds: 1.22 (1.13 to 1.33), control 1.01 (0.95 to 1.06)
//! - MariaDB 10.11.19, beside builds, 500/s, 9 rounds: 1.26 (1.17 to 1.42), control 0.99 (0.90 to 1.07)
//! - the same, 2,000/s: 1.30 (1.13 to 1.39), control 1.02 (0.94 to 1.06)
//!
//! This client saves 7 to 15 us of CPU a request. The series show no difference in the medians of service time and lag, but
//! for MySQL's service time at 500/s: 1.04 (1.01 to 1.10), control 0.97 (0.90 to 1.06). MySQL at 500/s beside builds is left out: its
//! control was 1.09.

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
