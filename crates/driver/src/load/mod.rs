//! Creating and filling the tables that workloads use.

mod count_rows;
pub(crate) mod load_tables;
mod ownership;
mod reuse;
