//! Ownership of a database: only a database with the marker table is ever changed or dropped.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::workloads::marker::{MARKER, quoted};
use crate::workloads::tpcc;

/// Returns whether a database has the marker table; `None` if the database does not exist.
pub(crate) async fn is_marked(conn: &mut Conn, database: &str) -> mysql_async::Result<Option<bool>> {
    let named = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    let marked = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let databases: Option<u64> = conn.exec_first(named, (database,)).await?;
    let markers: Option<u64> = conn.exec_first(marked, (database, MARKER)).await?;
    Ok((databases > Some(0)).then_some(markers > Some(0)))
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
    let sql =
        "SELECT table_name FROM information_schema.tables WHERE table_schema = ? AND table_name REGEXP ?";
    let of_tpcc = tpcc::TABLES.join("|");
    conn.exec(sql, (database, format!("^(sbtest[0-9]+|{of_tpcc})$")))
        .await
}
