//! Creating and filling the tables that workloads use.

pub(crate) mod load_tables;
mod ownership;
mod reuse;
