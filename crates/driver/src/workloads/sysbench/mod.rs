//! Workloads of sysbench's OLTP scripts.

pub(crate) mod chosen_statements;
pub(crate) mod connection;
pub(crate) mod script;
pub(crate) mod statement_groups;
pub(crate) mod tables;
