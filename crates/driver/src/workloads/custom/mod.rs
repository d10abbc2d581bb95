//! Workload from a file: tables, and requests that consist of SQL statements with random parameters.
//!
//! docs/workloads.md describes the format. Everything that needs no server is checked before anything starts; the server
//! prepares every statement before the tables are filled.

pub(crate) mod connection;
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

use std::sync::Arc;

use crate::workloads::custom::generator::Generator;
use crate::workloads::custom::sql_statement::SqlStatement;
use crate::workloads::custom::table::CustomTable;
use crate::workloads::custom::weighted::Weighted;
use crate::workloads::load_batch::LoadBatch;

/// Workload from a file.
#[derive(Clone, Debug)]
pub struct CustomWorkload {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) tables: Vec<Arc<CustomTable>>,
    pub(crate) kinds: Vec<RequestType>,
    pub(crate) weights: Weighted,
}

/// Type of requests.
#[derive(Clone, Debug)]
pub(crate) struct RequestType {
    /// Name in reports.
    pub(crate) name: String,
    /// Whether BEGIN and COMMIT are around the statements.
    pub(crate) transaction: bool,
    /// Statements in their order.
    pub(crate) statements: Vec<SqlStatement>,
    /// Generators of the parameters, in the order of their names.
    pub(crate) generators: Vec<Generator>,
}

impl CustomWorkload {
    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the names of the kinds of requests.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name.as_str())
    }

    /// Returns the number of rows of each table.
    pub fn table_rows(&self) -> impl Iterator<Item = u64> {
        self.tables.iter().map(|table| table.rows.into())
    }

    /// Returns whether BEGIN and COMMIT are around all requests.
    pub fn transaction(&self) -> bool {
        self.kinds.iter().all(|kind| kind.transaction)
    }

    /// Returns the number of statements without BEGIN and COMMIT.
    pub(crate) fn statements(&self) -> usize {
        self.kinds.iter().map(|kind| kind.statements.len()).sum()
    }

    /// Returns the rows of all tables, in batches that can be loaded in parallel.
    pub(crate) fn load_batches(&self, seed: u64) -> impl Iterator<Item = LoadBatch> + use<> {
        let (file, tables) = (self.name.clone(), self.tables.clone());
        (1..)
            .zip(tables)
            .flat_map(move |(index, table)| table::load_batches(&file, table, index, seed))
    }
}
