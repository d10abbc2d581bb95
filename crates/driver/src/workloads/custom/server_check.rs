//! Checks that need a server: whether it accepts the statements of a file.
//!
//! The checks do not limit what the SQL may reach: a file runs with the rights of the user's account, as scripts of sysbench,
//! pgbench and latte do. Tried: a checker that read the tokens of each statement and refused other databases. It took 669
//! lines of heuristics for two dialects, and a function of the server could get around it.

use anyhow::anyhow;
use mysql_async::Error;

use crate::client::{Call, Conn};
use crate::error::DriveError;
use crate::workloads::custom::CustomWorkload;
use crate::workloads::protocol::Protocol;
use crate::workloads::statement::NOT_PREPARABLE;

/// SQL mode in which a backslash in a string is an ordinary character.
const NO_BACKSLASH_ESCAPES: &str = "NO_BACKSLASH_ESCAPES";

/// Creates the tables, and lets the server prepare every statement of the requests and of the load, before any row is
/// loaded. With the text protocol nothing is prepared. `conn` has the session of a request: the SQL is the user's.
pub(crate) async fn check(
    conn: &mut Conn,
    custom: &CustomWorkload,
    protocol: Protocol,
) -> Result<(), DriveError> {
    let file = &custom.name;
    check_sql_mode(conn, file).await?;
    for table in &custom.tables {
        let created = conn.execute(&Call::Query(table.create.clone())).await;
        let place = || format!("{file}: create of the table {}", table.name);
        created.map_err(|source| refused(place(), &table.create, source))?;
    }
    match protocol {
        Protocol::Prepared => prepare_all(conn, custom).await,
        Protocol::Text | Protocol::Procedures => Ok(()),
    }
}

async fn prepare_all(conn: &mut Conn, custom: &CustomWorkload) -> Result<(), DriveError> {
    let file = &custom.name;
    for table in custom.tables.iter().filter(|table| table.rows > 0) {
        let values = vec!["?"; table.columns.len()].join(",");
        let sql = format!("INSERT INTO {} VALUES ({values})", table.target());
        let place = || format!("{file}: the columns of the table {}", table.name);
        prepare(conn, &sql, place).await?;
    }
    for kind in &custom.kinds {
        for (number, statement) in (1..).zip(&kind.statements) {
            let place = || format!("{file}: statement {number} of the request {}", kind.name);
            prepare(conn, &statement.sql(), place).await?;
        }
    }
    Ok(())
}

/// Refuses a server that would read the driver's string literals differently.
async fn check_sql_mode(conn: &mut Conn, file: &str) -> Result<(), DriveError> {
    let sql = "SELECT @@sql_mode";
    let mode = conn.query_first::<String>(sql).await;
    let mode = mode.map_err(|source| refused(file.to_owned(), sql, source))?;
    if mode.is_some_and(|mode| mode.contains(NO_BACKSLASH_ESCAPES)) {
        let reason = anyhow!(
            "{file}: the server's sql_mode has {NO_BACKSLASH_ESCAPES}, with which random texts would be written wrongly: \
             take it out of sql_mode"
        );
        return Err(reason.into());
    }
    Ok(())
}

async fn prepare(conn: &mut Conn, sql: &str, place: impl FnOnce() -> String) -> Result<(), DriveError> {
    // The statements end with the connection.
    match conn.prepare(sql).await {
        Err(Error::Server(error)) if error.code == NOT_PREPARABLE => Ok(()),
        Err(error) => Err(refused(place(), sql, error)),
        Ok(_) => Ok(()),
    }
}

fn refused(place: String, sql: &str, reason: Error) -> DriveError {
    let sql = sql.trim().to_owned();
    DriveError::Refused { place, sql, reason }
}
