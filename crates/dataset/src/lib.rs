//! Runs as tables of Parquet: columns that DuckDB, ClickHouse and Spark read as they are. docs/fleet.md describes the tables
//! for users.
//!
//! No column is nested: DuckDB, ClickHouse and Spark read maps and lists of Parquet in three ways. So settings and caveats are
//! tables of their own. Times are signed, because unsigned 64-bit numbers are decimals in Spark. Writers are derived
//! (`parquet_derive`) without arrow, whose crates take a minute to compile.
//!
//! - `table`: names of the tables, and how much of a run is exported
//! - `table_file`: writing the rows of a table
//! - `run_rows`, `time_rows`, `commit_rows`, `request_rows`: the rows
//! - `export`: all tables of a run

mod commit_rows;
mod export;
mod request_rows;
mod run_rows;
mod table;
mod table_file;
mod time_rows;

pub use export::{ExportError, Exported, RunToExport, commits, export};
pub use table::{DatasetTable, ExportLevel};
