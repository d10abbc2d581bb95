//! Stored procedures of the transactions, which DBT2 calls.

pub(crate) mod calls;
pub(crate) mod definitions;
