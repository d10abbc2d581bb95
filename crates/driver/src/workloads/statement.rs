//! One statement, ready to be sent on one connection.

use mysql_async::prelude::FromRow;
use mysql_async::{Error, Value};

use crate::client::connection::{Conn, Statement};

/// `ER_UNSUPPORTED_PS`: a statement that the server does not prepare.
pub(crate) const NOT_PREPARABLE: u16 = 1295;

/// A statement that can be sent.
pub(crate) enum Ready {
    /// Executed with binary parameters.
    Prepared(Statement),
    /// Sent as text, with its parameters in the place of its question marks.
    Text(String),
}

impl Ready {
    /// A statement that is sent as text until it is prepared.
    pub(crate) fn text(sql: &str) -> Self {
        Self::Text(sql.to_owned())
    }

    /// A statement that the server does not prepare stays text, as with sysbench: MySQL does not prepare BEGIN,
    /// MariaDB does.
    pub(crate) async fn prepare(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        if let Self::Text(sql) = self {
            match conn.prepare(sql).await {
                Err(Error::Server(error)) if error.code == NOT_PREPARABLE => {}
                prepared => *self = Self::Prepared(prepared?),
            }
        }
        Ok(())
    }

    /// Sends it, and forgets its rows.
    pub(crate) async fn send(&self, conn: &mut Conn, values: Vec<Value>) -> mysql_async::Result<()> {
        match self {
            Self::Prepared(statement) => conn.execute_drop(*statement, &values).await,
            Self::Text(sql) => conn.query_drop(&written(sql, &values)).await,
        }
    }

    /// Sends it where the server refused a part of a transaction. A lock wait that timed out undoes its statement alone:
    /// without a ROLLBACK the next BEGIN would commit those before it.
    pub(crate) async fn if_refused<T>(
        &self,
        conn: &mut Conn,
        done: mysql_async::Result<T>,
    ) -> mysql_async::Result<T> {
        if let Err(Error::Server(_)) = done {
            self.send(conn, Vec::new()).await?;
        }
        done
    }

    /// Sends it, and returns its first row.
    pub(crate) async fn first<T>(&self, conn: &mut Conn, values: Vec<Value>) -> mysql_async::Result<Option<T>>
    where
        T: FromRow,
    {
        match self {
            Self::Prepared(statement) => conn.execute_first(*statement, &values).await,
            Self::Text(sql) => conn.query_first(&written(sql, &values)).await,
        }
    }

    /// Sends it, and returns its rows.
    pub(crate) async fn all<T>(&self, conn: &mut Conn, values: Vec<Value>) -> mysql_async::Result<Vec<T>>
    where
        T: FromRow,
    {
        match self {
            Self::Prepared(statement) => conn.execute(*statement, &values).await,
            Self::Text(sql) => conn.query(&written(sql, &values)).await,
        }
    }
}

/// A statement with these values in the place of its question marks.
pub(crate) fn written(statement: &str, values: &[Value]) -> String {
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
    fn a_statement_as_text_has_its_values_in_their_places() {
        let row = [0.into(), 7.into(), "1-2".into(), "it's 3?".into()];
        assert_eq!(
            written("INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)", &row),
            "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, 7, '1-2', 'it\\'s 3?')"
        );
        assert_eq!(
            written(
                "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
                &[5.into(), 104.into()]
            ),
            "SELECT c FROM sbtest1 WHERE id BETWEEN 5 AND 104 ORDER BY c"
        );
        assert_eq!(written("BEGIN", &[]), "BEGIN");
    }
}
