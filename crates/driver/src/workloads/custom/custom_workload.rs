//! A workload from a file: tables, and requests of SQL statements with parameters that are drawn.
//!
//! docs/workloads.md describes the format. A file is checked as far as that goes without a server before anything
//! starts; the server looks at every statement before the tables are filled.

use std::sync::Arc;

use crate::util::line_file::FileError;
use crate::workloads::load_batch::LoadBatch;

use crate::workloads::custom::parse;
use crate::workloads::custom::request_type::Kind;
use crate::workloads::custom::table;
use crate::workloads::custom::table::Table;
use crate::workloads::custom::weighted::Weighted;

/// A workload from a file, checked.
#[derive(Clone, Debug)]
pub struct Custom {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) tables: Vec<Arc<Table>>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) weights: Weighted,
}

impl Custom {
    /// Reads the text of a file; `path` is for errors, and the last part of it the workload's name.
    pub fn read(path: &str, text: &str) -> Result<Self, FileError> {
        parse::read(path, text)
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the kinds of its requests.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name.as_str())
    }

    /// The rows that each of its tables starts with.
    pub fn table_rows(&self) -> impl Iterator<Item = u64> {
        self.tables.iter().map(|table| table.rows.into())
    }

    /// Whether all of its requests are transactions of BEGIN and COMMIT.
    pub fn transaction(&self) -> bool {
        self.kinds.iter().all(|kind| kind.transaction)
    }

    /// Its statements, BEGIN and COMMIT aside.
    pub(crate) fn statements(&self) -> usize {
        self.kinds.iter().map(|kind| kind.statements.len()).sum()
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().map(Arc::as_ref)
    }

    /// All rows of its tables, in parts that can be loaded at the same time.
    pub(crate) fn parts(&self, seed: u64) -> impl Iterator<Item = LoadBatch> + use<> {
        let (file, tables) = (self.name.clone(), self.tables.clone());
        (1..)
            .zip(tables)
            .flat_map(move |(place, table)| table::parts(&file, table, place, seed))
    }
}
