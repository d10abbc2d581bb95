//! Database that a run made and was killed before it marked it as its own.
//!
//! It is dropped only if it is empty, and the note says that it was not there before the run. Statements are sent as text: a server may have no room for
//! prepared ones. Their limits hold whatever `sql_select_limit` is.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Value};

/// Error of a table that `information_schema` does not have (`ER_UNKNOWN_TABLE`).
const UNKNOWN_TABLE: u16 = 1109;

/// Returns whether a database exists, as far as the account may know.
pub(crate) async fn exists(conn: &mut Conn, database: &str) -> mysql_async::Result<bool> {
    let name = literal(database);
    has_row(conn, &format!("schemata WHERE schema_name = {name}")).await
}

/// Drops a database if nobody has put anything into it. One in which the account may not see everything stays.
pub(crate) async fn drop_if_empty(conn: &mut Conn, database: &str) -> mysql_async::Result<()> {
    if !exists(conn, database).await? || !sees_all(conn, database).await? || !is_empty(conn, database).await?
    {
        return Ok(());
    }
    let name = database.replace('`', "``");
    // The server may just be dropping it for the run.
    conn.query_drop(format!("DROP DATABASE IF EXISTS `{name}`")).await
}

/// Returns whether the account sees the routines and events of others in a database; it then sees the tables and views, too.
/// Rights by a role do not count.
async fn sees_all(conn: &mut Conn, database: &str) -> mysql_async::Result<bool> {
    let account: Option<String> = conn.query_first("SELECT CURRENT_USER() LIMIT 1").await?;
    let account = account.unwrap_or_default();
    let (user, host) = account.rsplit_once('@').unwrap_or_default();
    let (grantee, name) = (literal(&format!("'{user}'@'{host}'")), literal(database));
    for right in ["EVENT", "EXECUTE"] {
        let held = format!("WHERE grantee = {grantee} AND privilege_type = '{right}'");
        let everywhere = format!("user_privileges {held}");
        let here = format!("schema_privileges {held} AND table_schema = {name}");
        if !has_row(conn, &everywhere).await? && !has_row(conn, &here).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether there is neither a table or view nor a routine, event or library in a database.
async fn is_empty(conn: &mut Conn, database: &str) -> mysql_async::Result<bool> {
    let name = literal(database);
    for content in [
        "tables WHERE table_schema",
        "routines WHERE routine_schema",
        "events WHERE event_schema",
    ] {
        if has_row(conn, &format!("{content} = {name}")).await? {
            return Ok(false);
        }
    }
    // Of MySQL, since 9.2.
    match has_row(conn, &format!("libraries WHERE library_schema = {name}")).await {
        Ok(found) => Ok(!found),
        Err(Error::Server(error)) if error.code == UNKNOWN_TABLE => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns whether a table of `information_schema` has a row.
async fn has_row(conn: &mut Conn, of: &str) -> mysql_async::Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM information_schema.{of}) LIMIT 1");
    Ok(conn.query_first(sql).await? == Some(true))
}

/// Returns a text as a literal in a session whose `sql_mode` logtrace set.
fn literal(text: &str) -> String {
    Value::from(text).as_sql(false)
}
