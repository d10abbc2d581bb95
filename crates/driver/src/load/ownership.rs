//! Ownership of a database: only a database with the marker table is ever changed or dropped.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use crate::workloads::marker::{MARKER, quoted};
use crate::workloads::tpcc;

/// Owner of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The database does not exist.
    Nobody,
    /// The database has the marker table.
    Logtrace,
    /// The database has no marker table.
    Somebody,
}

/// Finds out who owns a database.
pub(crate) async fn owner(conn: &mut Conn, database: &str) -> mysql_async::Result<Owner> {
    let named = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    let marked = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
    let databases: Option<u64> = conn.exec_first(named, (database,)).await?;
    let markers: Option<u64> = conn.exec_first(marked, (database, MARKER)).await?;
    Ok(match (databases, markers) {
        (None | Some(0), _) => Owner::Nobody,
        (_, None | Some(0)) => Owner::Somebody,
        _ => Owner::Logtrace,
    })
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
