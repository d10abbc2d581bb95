//! What a database of ours was loaded with, so that the same need not be loaded again.
//!
//! The marker's comment says it. It is written when a load is complete and taken away before another one starts, so
//! that a load that was cut short is never taken for one.

use std::collections::BTreeSet;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::load::ownership::workload_tables;
use crate::workloads::dataset::Dataset;
use crate::workloads::marker::{MARKER, quoted};

/// What is said of the tables' definition and of how their rows come from the seed. To be raised when either changes.
const CONTENT: u32 = 1;

/// What a dataset's tables hold.
fn content(dataset: Dataset) -> String {
    let Dataset {
        tables,
        rows,
        keys,
        seed,
    } = dataset;
    format!("content {CONTENT}: {tables} tables of {rows} rows, keys {keys}, seed {seed}")
}

/// Whether the database holds the tables of this dataset: it was loaded with it, and each table has all of its rows
/// and no other. What updates made of the rows counts as the same.
pub(crate) async fn holds(conn: &mut Conn, database: &str, dataset: Dataset) -> mysql_async::Result<bool> {
    let comment =
        "SELECT table_comment FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let said: Option<Option<String>> = conn.exec_first(comment, (database, MARKER)).await?;
    if said.flatten() != Some(content(dataset)) {
        return Ok(false);
    }
    let names: BTreeSet<String> = (1..=dataset.tables)
        .map(|table| format!("sbtest{table}"))
        .collect();
    let there: BTreeSet<String> = workload_tables(conn, database).await?.into_iter().collect();
    if there != names {
        return Ok(false);
    }
    for name in names {
        if !is_whole(conn, database, &name, dataset.rows).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a table has the rows 1 to `rows`. An empty one has neither a first nor a last.
async fn is_whole(conn: &mut Conn, database: &str, table: &str, rows: u32) -> mysql_async::Result<bool> {
    let sql = format!(
        "SELECT COUNT(*), MIN(id), MAX(id) FROM {}.{}",
        quoted(database),
        quoted(table)
    );
    let counted: Option<(u32, Option<u32>, Option<u32>)> = conn.query_first(sql).await?;
    Ok(counted == Some((rows, Some(1), Some(rows))))
}

/// Writes down that the database holds the tables of a dataset, or that nobody knows what it holds.
pub(crate) async fn note(
    conn: &mut Conn,
    database: &str,
    dataset: Option<Dataset>,
) -> mysql_async::Result<()> {
    let said = dataset.map(content).unwrap_or_default();
    let sql = format!("ALTER TABLE {}.{MARKER} COMMENT = '{said}'", quoted(database));
    conn.query_drop(sql).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::keys::distribution::Keys;

    #[test]
    fn whatever_changes_the_rows_is_in_what_is_said() {
        let dataset = Dataset {
            tables: 2,
            rows: 30,
            keys: Keys::Uniform,
            seed: 4,
        };
        let others = [
            Dataset { tables: 3, ..dataset },
            Dataset { rows: 31, ..dataset },
            Dataset {
                keys: Keys::SPECIAL,
                ..dataset
            },
            Dataset {
                keys: "special:1,90".parse().unwrap(),
                ..dataset
            },
            Dataset { seed: 5, ..dataset },
        ];
        let said: BTreeSet<String> = others.into_iter().chain([dataset]).map(content).collect();
        assert_eq!(said.len(), 6);
        assert!(!content(dataset).contains('\''), "it stands between quotes");
    }
}
