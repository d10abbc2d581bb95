//! Reuse of tables that an earlier load left.
//!
//! The comment of the marker table records the loaded dataset. It is written when a load is complete and removed before
//! another load starts, so an incomplete load is never reused.

use std::collections::BTreeSet;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::load::ownership::workload_tables;
use crate::util::marker::{MARKER, literal, quoted};
use crate::workloads::dataset::Dataset;

/// Version of the table definitions and of the way rows are drawn from the seed. Raise it when either changes.
const CONTENT: u32 = 1;

/// Returns the description of a dataset for the comment.
fn content(dataset: Dataset) -> String {
    let Dataset {
        tables,
        rows,
        keys,
        seed,
    } = dataset;
    format!("content {CONTENT}: {tables} tables of {rows} rows, keys {keys}, seed {seed}")
}

/// Checks whether the database holds exactly the tables and rows of this dataset. Rows that were updated since count as
/// the same.
pub(crate) async fn is_loaded(
    conn: &mut Conn,
    database: &str,
    dataset: Dataset,
) -> mysql_async::Result<bool> {
    let comment = format!(
        "SELECT table_comment FROM information_schema.tables WHERE table_schema = {} AND table_name = '{MARKER}'",
        literal(database)
    );
    let recorded: Option<Option<String>> = conn.query_first(comment).await?;
    if recorded.flatten() != Some(content(dataset)) {
        return Ok(false);
    }
    let names: BTreeSet<String> = (1..=dataset.tables)
        .map(|table| format!("sbtest{table}"))
        .collect();
    let existing: BTreeSet<String> = workload_tables(conn, database).await?.into_iter().collect();
    if existing != names {
        return Ok(false);
    }
    for name in names {
        let sql = format!(
            "SELECT COUNT(*), MIN(id), MAX(id) FROM {}.{name}",
            quoted(database)
        );
        let counted: Option<(u32, Option<u32>, Option<u32>)> = conn.query_first(sql).await?;
        if counted != Some((dataset.rows, Some(1), Some(dataset.rows))) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Records that the database holds the tables of a dataset, or `None` if its content is unknown.
pub(crate) async fn record(
    conn: &mut Conn,
    database: &str,
    dataset: Option<Dataset>,
) -> mysql_async::Result<()> {
    let comment = dataset.map(content).unwrap_or_default();
    let sql = format!("ALTER TABLE {}.{MARKER} COMMENT = '{comment}'", quoted(database));
    conn.query_drop(sql).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::keys::Keys;

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
