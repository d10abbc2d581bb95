//! Count of the rows after a load.
//!
//! It is done on another connection than the load's, which sees committed rows alone. Reading each table once takes far less
//! time than filling it.

use anyhow::anyhow;
use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::error::{DriveError, failed};
use crate::util::marker::quoted;
use crate::workloads::dataset::Dataset;
use crate::workloads::options::{Content, Requests};
use crate::workloads::tpcc;

/// Rows that a table must have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    table: String,
    rows: u64,
    /// Whether the ids are the numbers from 1 to `rows`.
    is_numbered: bool,
}

/// Counts the rows of each table, and fails if a table does not have those that were loaded.
pub(crate) async fn check_rows(
    conn: &mut Conn,
    database: &str,
    requests: &Requests,
    dataset: Dataset,
) -> Result<(), DriveError> {
    for expected in expected(requests, dataset) {
        let Expected {
            table,
            rows,
            is_numbered,
        } = &expected;
        let ids = if *is_numbered {
            "MIN(id), MAX(id)"
        } else {
            "NULL, NULL"
        };
        let sql = format!(
            "SELECT COUNT(*), {ids} FROM {}.{}",
            quoted(database),
            quoted(table)
        );
        let found: Option<(u64, Option<u64>, Option<u64>)> = conn
            .query_first(sql)
            .await
            .map_err(failed(format!("count the rows of {table}")))?;
        let (count, first, last) = found.unwrap_or_default();
        if count != *rows || (*is_numbered && (first, last) != (Some(1), Some(*rows))) {
            let ids = match (first, last) {
                (Some(first), Some(last)) if count == *rows => format!(" with the ids {first} to {last}"),
                _ => String::new(),
            };
            return Err(anyhow!(
                "the table {table} has {count} rows{ids} after the load, which inserted {rows}: nothing was measured. Does \
                 anybody else change the table, or a trigger?"
            )
            .into());
        }
    }
    Ok(())
}

/// Returns what a load leaves. A table of a file that is not filled may have rows of its own.
fn expected(requests: &Requests, dataset: Dataset) -> Vec<Expected> {
    match requests.content() {
        Content::Script(_) => (1..=dataset.tables)
            .map(|table| Expected {
                table: format!("sbtest{table}"),
                rows: dataset.rows.into(),
                is_numbered: true,
            })
            .collect(),
        Content::Tpcc(tpcc) => tpcc::load::table_rows(tpcc.warehouses, dataset.seed)
            .into_iter()
            .map(|(table, rows)| unnumbered(table, rows))
            .collect(),
        Content::File(custom) => custom
            .tables
            .iter()
            .filter(|table| table.rows > 0)
            .map(|table| unnumbered(&table.name, table.rows.into()))
            .collect(),
    }
}

fn unnumbered(table: &str, rows: u64) -> Expected {
    Expected {
        table: table.to_owned(),
        rows,
        is_numbered: false,
    }
}
