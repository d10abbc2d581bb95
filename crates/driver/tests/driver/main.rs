//! The driver against real servers, in one program. Needs root, MySQL (scripts/fetch-mysql) and MariaDB: what is missing
//! fails a test.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, in its helpers too, and one that fails shows what it saw"
)]

/// Real servers for the tests, each in a directory of its own that goes with it.
mod common {
    pub(crate) mod drives;
    pub(crate) mod server;
}

/// Arrivals as they were drawn, and as they left for real servers.
mod arrivals {
    mod drawn;
    mod kolmogorov;
    mod seed;
    mod sent;
}

mod custom;
mod fidelity;
mod keys;
mod many_connections;
mod open_loop;
mod pacing;
mod reconnect;
mod sessions;
mod sysbench;
mod tpcc;
mod tpcc_sql_mode;
mod trouble;
