//! Ownership of a database: only a database with the marker table is ever changed or dropped.
//!
//! Statements are sent as text: nothing is prepared, so that tables are removed even where `max_prepared_stmt_count` is used
//! up.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::error::{DriveError, failed};
use crate::util::marker::{MARKER, literal, quoted};
use crate::workloads::tpcc;

/// Returns whether the database exists; fails if it does not belong to logtrace.
pub(crate) async fn owned(conn: &mut Conn, database: &str) -> Result<bool, DriveError> {
    let name = literal(database);
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM information_schema.schemata WHERE schema_name = {name}), \
         EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = {name} AND table_name = '{MARKER}')"
    );
    let found = conn.query_first(sql).await;
    match found.map_err(failed("find out who created the database"))? {
        Some((true, true)) => Ok(true),
        Some((true, false)) => Err(DriveError::NotOurs(database.into())),
        _ => Ok(false),
    }
}

/// Creates a database with the marker table.
pub(crate) async fn create_database(conn: &mut Conn, database: &str) -> mysql_async::Result<()> {
    let name = quoted(database);
    conn.query_drop(format!("CREATE DATABASE {name}")).await?;
    conn.query_drop(format!("CREATE TABLE {name}.{MARKER} (id INT PRIMARY KEY)"))
        .await
}

/// Returns the names of all tables of workloads in a database.
pub(crate) async fn workload_tables(conn: &mut Conn, database: &str) -> mysql_async::Result<Vec<String>> {
    let (name, of_tpcc) = (literal(database), tpcc::TABLES.join("|"));
    conn.query(format!(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = {name} \
         AND table_name REGEXP '^(sbtest[0-9]+|{of_tpcc})$'"
    ))
    .await
}
