//! SQL statement of a built-in workload on one connection.

use mysql_async::prelude::FromRow;
use mysql_async::{Error, ServerError, Value};

use crate::client::{Call, Conn, StatementHandle, converted};

/// `ER_UNSUPPORTED_PS`: the server does not prepare such a statement.
pub(crate) const NOT_PREPARABLE: u16 = 1295;

/// `ER_KEY_NOT_FOUND`.
const NOT_FOUND: u16 = 1032;

/// Statement that can be sent.
pub(crate) enum Statement {
    /// Prepared statement, executed with binary parameters.
    Prepared(StatementHandle),
    /// Text with a question mark for each parameter, sent with the values in their place.
    Text(String),
}

impl Statement {
    /// Returns a statement that is sent as text until it is prepared.
    pub(crate) fn text(sql: impl Into<String>) -> Self {
        Self::Text(sql.into())
    }

    /// Prepares the statement. A statement that the server does not prepare stays text, as with sysbench: MySQL does not
    /// prepare BEGIN, MariaDB does.
    pub(crate) async fn prepare(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        if let Self::Text(sql) = self {
            match conn.prepare(sql).await {
                Err(Error::Server(error)) if error.code == NOT_PREPARABLE => {
                    conn.take_failed();
                }
                prepared => *self = Self::Prepared(prepared?),
            }
        }
        Ok(())
    }

    /// Returns the statement with these values.
    pub(crate) fn call(&self, values: Vec<Value>) -> Call {
        match self {
            Self::Prepared(statement) => Call::Execute(*statement, values),
            Self::Text(sql) => Call::Query(with_values(sql, &values)),
        }
    }

    /// Sends the statement, and discards its rows.
    pub(crate) async fn execute(&self, conn: &mut Conn, values: Vec<Value>) -> mysql_async::Result<()> {
        conn.execute(&self.call(values)).await
    }

    /// Sends the statement, and returns its first row if there is one.
    pub(crate) async fn fetch_optional<T: FromRow>(
        &self,
        conn: &mut Conn,
        values: Vec<Value>,
    ) -> mysql_async::Result<Option<T>> {
        conn.first_row(&self.call(values)).await
    }

    /// Sends the statement, and returns its first row; without a row it is an error.
    pub(crate) async fn fetch_one<T: FromRow>(
        &self,
        conn: &mut Conn,
        values: Vec<Value>,
    ) -> mysql_async::Result<T> {
        required(self.fetch_optional(conn, values).await?)
    }

    /// Sends the statement, and returns its rows.
    pub(crate) async fn fetch_all<T: FromRow>(
        &self,
        conn: &mut Conn,
        values: Vec<Value>,
    ) -> mysql_async::Result<Vec<T>> {
        let rows = conn.rows(&self.call(values)).await?;
        rows.into_iter().map(converted).collect()
    }
}

/// Returns what a transaction needs, or the error that servers return for a missing row.
pub(crate) fn required<T>(value: Option<T>) -> mysql_async::Result<T> {
    value.ok_or_else(|| {
        Error::Server(ServerError {
            code: NOT_FOUND,
            message: "a row of the workload's tables is missing".to_owned(),
            state: "HY000".to_owned(),
        })
    })
}

/// Returns the statement with these values in place of its question marks.
fn with_values(statement: &str, values: &[Value]) -> String {
    let mut pieces = statement.split('?');
    let mut sql = pieces.next().unwrap_or_default().to_owned();
    for (value, piece) in values.iter().zip(pieces) {
        sql.push_str(&value.as_sql(false));
        sql.push_str(piece);
    }
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_replace_question_marks() {
        let row = [0.into(), 7.into(), "1-2".into(), "it's 3?".into()];
        assert_eq!(
            with_values("INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)", &row),
            "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 7, '1-2', 'it\\'s 3?')"
        );
        assert_eq!(
            with_values(
                "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
                &[5.into(), 104.into()]
            ),
            "SELECT c FROM sbtest1 WHERE id BETWEEN 5 AND 104 ORDER BY c"
        );
        assert_eq!(with_values("BEGIN", &[]), "BEGIN");
    }
}
