//! Connections of a server's threads, as it shows them to a login.

use std::borrow::Cow;

use logtrace_common::{ServerConn, inert};
use mysql_async::Row;
use mysql_async::prelude::{FromRow, Queryable};

use crate::facts::statement_digest::statement_digest;

/// Most letters of a statement, and of the name of a user or host, that are read.
const MOST_LETTERS: usize = 256;

/// Bytes of a statement that are read: the server cuts it.
const MOST_BYTES: usize = 4096;

/// Errors of a server that refuses to show its threads: commands or databases that are denied, rights that are missing
/// (share/messages_to_clients.txt).
const REFUSED: [u16; 5] = [1044, 1045, 1142, 1143, 1227];

/// Statements that do no work of a transaction: names of the Performance Schema.
const WITHOUT_WORK: [&str; 11] = [
    "statement/sql/begin",
    "statement/sql/commit",
    "statement/sql/rollback",
    "statement/sql/set_option",
    "statement/sql/unlock_tables",
    "statement/com/Close stmt",
    "statement/com/Init DB",
    "statement/com/Ping",
    "statement/com/Quit",
    "statement/com/Reset Connection",
    "statement/com/Statistics",
];

/// Connection that a thread of a server serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSession {
    /// Number of the thread, as the server knows it.
    pub thread: u32,
    /// Id of the connection.
    pub connection: u64,
    /// Name of its user.
    pub user: String,
    /// Host of its client, without a port.
    pub host: String,
    /// Its statement, or the last one that did some work; without values. `None` if the server does not show it.
    pub statement: Option<String>,
}

/// Error of a question about connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionsUnread {
    /// The login may not see the connections of others.
    Refused,
    /// The connection broke, or the server lacks the tables.
    Failed,
}

/// Connection of a thread of the Performance Schema.
type ThreadCells = (u64, u32, u64, Option<Vec<u8>>, Option<Vec<u8>>);

/// Statement of a thread of the Performance Schema: its kind, its digest, and whether it goes on.
type StatementCells = (u64, Vec<u8>, Option<Vec<u8>>, bool);

/// Statements that begin or end a transaction: names of the Performance Schema.
const EDGES: [&str; 3] = [
    "statement/sql/begin",
    "statement/sql/commit",
    "statement/sql/rollback",
];

/// Row of MariaDB's list of processes.
type ProcessCells = (u32, u64, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Reads the connections of these threads, by the numbers by which the server knows them. Threads without a connection are left
/// out.
///
/// The Performance Schema has the last statements too. Without it, MariaDB's list of processes has the statement that runs.
pub async fn read_sessions(
    conn: &mut ServerConn,
    threads: &[u32],
) -> Result<Vec<ServerSession>, SessionsUnread> {
    let of_schema = of_performance_schema(conn, threads).await;
    match of_schema {
        Ok(sessions) if !sessions.is_empty() => Ok(sessions),
        // It may be off, or be another server's.
        of_schema => match of_process_list(conn, threads).await {
            Ok(sessions) => Ok(sessions),
            Err(error) => of_schema.map_err(|first| first.min(error)),
        },
    }
}

async fn of_performance_schema(
    conn: &mut ServerConn,
    threads: &[u32],
) -> Result<Vec<ServerSession>, SessionsUnread> {
    let found: Vec<ThreadCells> = rows(
        conn,
        &format!(
            "SELECT CAST(THREAD_ID AS UNSIGNED), CAST(THREAD_OS_ID AS UNSIGNED), CAST(PROCESSLIST_ID AS UNSIGNED), \
             PROCESSLIST_USER, PROCESSLIST_HOST FROM performance_schema.threads \
             WHERE PROCESSLIST_ID IS NOT NULL AND THREAD_OS_ID IN ({})",
            list(threads)
        ),
    )
    .await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<u64> = found.iter().map(|thread| thread.0).collect();
    let mut statements: Vec<StatementCells> = Vec::new();
    for table in ["events_statements_current", "events_statements_history"] {
        let of_table = format!(
            "SELECT CAST(THREAD_ID AS UNSIGNED), EVENT_NAME, LEFT(DIGEST_TEXT, {MOST_BYTES}), END_EVENT_ID IS NULL \
             FROM performance_schema.{table} WHERE THREAD_ID IN ({}) ORDER BY NESTING_EVENT_LEVEL, EVENT_ID DESC",
            list(&ids)
        );
        // A login may see threads without their statements.
        statements.extend(rows::<StatementCells>(conn, &of_table).await.unwrap_or_default());
    }
    let session = |(id, thread, connection, user, host): ThreadCells| ServerSession {
        thread,
        connection,
        user: name(user),
        host: name(host),
        statement: statement_of(id, &statements),
    };
    Ok(found.into_iter().map(session).collect())
}

/// Returns the statement of a thread that goes on; else, of its newest transaction, the newest that changed or locked something,
/// or the newest that did some work. The newest come first in `statements`.
fn statement_of(id: u64, statements: &[StatementCells]) -> Option<String> {
    let is_kind = |cells: &StatementCells, kinds: &[&str]| {
        let kind = String::from_utf8_lossy(&cells.1);
        kinds.contains(&kind.as_ref())
    };
    let of_thread = statements.iter().filter(|cells| cells.0 == id);
    let without_work = |cells: &&StatementCells| is_kind(cells, &WITHOUT_WORK);
    let newest = of_thread.skip_while(without_work);
    let of_transaction = newest.take_while(|cells| !is_kind(cells, &EDGES));
    let working = of_transaction.filter(|cells| !without_work(cells));
    let digests = working.filter_map(|cells| Some((cells.2.as_deref()?, cells.3)));
    let digests: Vec<(Cow<'_, str>, bool)> = digests
        .map(|(digest, goes_on)| (String::from_utf8_lossy(digest), goes_on))
        .collect();
    let mut by_choice = digests.iter();
    let chosen = by_choice.find(|(digest, goes_on)| *goes_on || !only_reads(digest));
    let (digest, _) = chosen.or(digests.first())?;
    Some(shortened(digest))
}

/// Returns whether a statement reads without locks.
fn only_reads(digest: &str) -> bool {
    let locks = ["FOR UPDATE", "FOR SHARE", "LOCK IN SHARE MODE"];
    let reads = ["SELECT", "SHOW", "EXPLAIN"];
    reads.iter().any(|read| digest.starts_with(read)) && !locks.iter().any(|lock| digest.contains(lock))
}

async fn of_process_list(
    conn: &mut ServerConn,
    threads: &[u32],
) -> Result<Vec<ServerSession>, SessionsUnread> {
    let found: Vec<ProcessCells> = rows(
        conn,
        &format!(
            "SELECT CAST(TID AS UNSIGNED), CAST(ID AS UNSIGNED), USER, HOST, LEFT(INFO, {MOST_BYTES}) \
             FROM information_schema.PROCESSLIST WHERE TID IN ({})",
            list(threads)
        ),
    )
    .await?;
    let session = |(thread, connection, user, host, statement): ProcessCells| ServerSession {
        thread,
        connection,
        user: name(user),
        host: without_port(&name(host)).to_owned(),
        statement: statement.map(|text| shortened(&statement_digest(&String::from_utf8_lossy(&text)))),
    };
    Ok(found.into_iter().map(session).collect())
}

async fn rows<T: FromRow + Send + 'static>(
    conn: &mut ServerConn,
    query: &str,
) -> Result<Vec<T>, SessionsUnread> {
    let rows: Vec<Row> = conn.query(query).await.map_err(|error| match error {
        mysql_async::Error::Server(error) if REFUSED.contains(&error.code) => SessionsUnread::Refused,
        _ => SessionsUnread::Failed,
    })?;
    // A proxy may answer with anything.
    let rows: Result<Vec<T>, _> = rows.into_iter().map(T::from_row_opt).collect();
    rows.map_err(|_| SessionsUnread::Failed)
}

fn list<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    numbers.join(",")
}

fn name(text: Option<Vec<u8>>) -> String {
    shortened(&String::from_utf8_lossy(&text.unwrap_or_default()))
}

/// Returns one line of harmless text, cut to its first letters.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    inert::shortened(&words.join(" "), MOST_LETTERS)
}

/// Returns a host as MariaDB's list of processes has it, without the port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(thread: u64, kind: &str, digest: &str) -> StatementCells {
        let digest = Some(digest).filter(|digest| !digest.is_empty());
        (
            thread,
            format!("statement/{kind}").into(),
            digest.map(Into::into),
            false,
        )
    }

    #[test]
    fn the_newest_statement_that_did_some_work_is_told() {
        let statements = [
            statement(7, "sql/commit", "COMMIT"),
            statement(8, "sql/select", "SELECT ?"),
            statement(7, "com/Execute", ""),
            statement(7, "sql/insert", "INSERT INTO `t` VALUES (?)\u{202e}"),
            statement(7, "sql/update", "UPDATE `t`"),
        ];
        let told = |thread| statement_of(thread, &statements);
        assert_eq!(told(7).as_deref(), Some("INSERT INTO `t` VALUES (?) "));
        assert_eq!(told(8).as_deref(), Some("SELECT ?"));
        assert_eq!(told(9), None);
    }

    #[test]
    fn what_changed_or_locked_something_in_the_transaction_is_told_first() {
        let select = statement(7, "sql/select", "SELECT ? FROM `t`");
        let update = statement(7, "com/Execute", "UPDATE `t`");
        let edge = statement(7, "sql/begin", "BEGIN");
        let told = |statements: &[StatementCells]| statement_of(7, statements).unwrap();
        let in_transaction = [select.clone(), update.clone(), edge.clone()];
        assert_eq!(told(&in_transaction), "UPDATE `t`");
        let before = [select.clone(), edge, update.clone()];
        assert_eq!(told(&before), "SELECT ? FROM `t`");
        let mut goes_on = select.clone();
        goes_on.3 = true;
        assert_eq!(told(&[goes_on, update]), "SELECT ? FROM `t`");
        let locks = statement(7, "sql/select", "SELECT ? FROM `t` FOR UPDATE");
        assert_eq!(told(&[select, locks]), "SELECT ? FROM `t` FOR UPDATE");
    }

    #[test]
    fn a_statement_is_one_line_of_limited_length() {
        assert_eq!(shortened(" a\n b\x1b[2J"), "a b [2J");
        let long = "e".repeat(MOST_LETTERS + 1);
        assert_eq!(shortened(&long), format!("{}...", &long[1..]));
    }

    #[test]
    fn a_host_has_no_port() {
        for (host, expected) in [
            ("10.0.0.3:51234", "10.0.0.3"),
            ("localhost", "localhost"),
            ("::1:51234", "::1"),
            ("", ""),
        ] {
            assert_eq!(without_port(host), expected);
        }
    }
}
