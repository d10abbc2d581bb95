//! Workload from a file: tables, and requests that consist of SQL statements with random parameters.
//!
//! docs/workloads.md describes the format. Everything that needs no server is checked before anything starts; the server
//! prepares every statement before the tables are filled.

pub(crate) mod connection;
pub(crate) mod custom_workload;
mod drawn;
mod generator;
mod generator_spec;
mod parse;
pub(crate) mod server_check;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod sql_statement;
mod syntax;
mod table;
mod weighted;

#[cfg(test)]
mod tests;
