//! Session that reads and sets global variables of a running server.

use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};

use crate::error::{ServerError, SettingError};
use crate::settings::global_value::GlobalValue;
use logtrace_common::{ConnectError, Connection, Flavor};

/// Largest `sql_select_limit`: no answer is cut off.
const ALL_ROWS: &str = "SET SESSION sql_select_limit = 18446744073709551615";

/// Session for the global variables of one server. Statements are sent as text: a server may have no room for prepared ones.
#[derive(Debug)]
pub(crate) struct GlobalSession<'a> {
    connection: &'a Connection,
    flavor: Flavor,
    conn: &'a mut Conn,
}

impl<'a> GlobalSession<'a> {
    /// Uses the session of `conn`, which is of `connection`.
    pub(crate) fn new(connection: &'a Connection, flavor: Flavor, conn: &'a mut Conn) -> Self {
        Self {
            connection,
            flavor,
            conn,
        }
    }

    /// Reads the value of a variable.
    pub(crate) async fn get(&mut self, name: &str) -> Result<GlobalValue, ServerError> {
        let (value, is_double) = self.read(name, &format!("@@GLOBAL.{name}")).await?;
        if !is_double {
            return Ok(value);
        }
        // Servers round it to six places. The product has all of them.
        let (value, _) = self.read(name, &format!("@@GLOBAL.{name} * 1e0")).await?;
        Ok(value)
    }

    /// Gives a variable a value, which is SQL.
    pub(crate) async fn set(&mut self, name: &str, literal: &str) -> Result<(), ServerError> {
        let set = self.conn.query_drop(set_statement(name, literal)).await;
        set.map_err(|error| {
            self.error(name, error, |name, message| SettingError::Refused {
                name,
                value: literal.to_owned(),
                message,
            })
        })
    }

    /// Evaluates an expression of a variable. Returns its value, and whether it is a floating-point number.
    async fn read(&mut self, name: &str, expression: &str) -> Result<(GlobalValue, bool), ServerError> {
        // The limit is not that of the session.
        let answer = self.conn.query_iter(format!("SELECT {expression} LIMIT 1")).await;
        let unreadable = |name, message| SettingError::Unreadable { name, message };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Err(self.error(name, error, unreadable)),
        };
        let column = answer.columns_ref().first().map(mysql_async::Column::column_type);
        let row: mysql_async::Result<Vec<mysql_async::Row>> = answer.collect_and_drop().await;
        let row = match row {
            Ok(mut rows) => rows.pop(),
            Err(error) => return Err(self.error(name, error, unreadable)),
        };
        let value = row.and_then(|mut row| row.take::<Value, _>(0));
        let (Some(column), Some(value)) = (column, value) else {
            return Err(unreadable(name.to_owned(), "it returns no row".to_owned()).into());
        };
        let text = match value {
            Value::NULL => return Ok((GlobalValue::Null, false)),
            Value::Bytes(bytes) => String::from_utf8(bytes).ok(),
            _ => None,
        };
        let text = text.ok_or_else(|| unreadable(name.to_owned(), "its value is no text".to_owned()))?;
        Ok(match column.is_numeric_type() {
            true => (
                GlobalValue::Number(text),
                column == mysql_async::consts::ColumnType::MYSQL_TYPE_DOUBLE,
            ),
            false => (GlobalValue::Text(text), false),
        })
    }

    /// Turns an error of a statement for a variable into one that says what to do.
    fn error(
        &self,
        name: &str,
        error: mysql_async::Error,
        other: impl FnOnce(String, String) -> SettingError,
    ) -> ServerError {
        let error = match error {
            mysql_async::Error::Server(error) => error,
            broken => return self.connection.explain(broken).into(),
        };
        let name = name.to_owned();
        let flavor = self.flavor;
        match error.code {
            // ER_UNKNOWN_SYSTEM_VARIABLE
            1193 => SettingError::Unknown { name, flavor },
            // ER_INCORRECT_GLOBAL_LOCAL_VAR
            1238 if error.message.contains("SESSION") => SettingError::OfSessions(name),
            1238 => SettingError::ReadOnly(name),
            _ => other(name, error.message),
        }
        .into()
    }
}

/// Returns the statement that gives a variable a value, which is SQL.
pub(crate) fn set_statement(name: &str, literal: &str) -> String {
    format!("SET GLOBAL {name} = {literal}")
}

/// Reads `SHOW GLOBAL VARIABLES`, all of it.
pub(crate) async fn global_variables(
    connection: &Connection,
) -> Result<BTreeMap<String, String>, ConnectError> {
    let explain = |error| connection.explain(error);
    let mut conn = connection.connect().await?;
    conn.query_drop(ALL_ROWS).await.map_err(explain)?;
    let rows: Vec<(String, Vec<u8>)> = conn.query("SHOW GLOBAL VARIABLES").await.map_err(explain)?;
    connection.disconnect(conn).await?;
    let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
    Ok(rows
        .into_iter()
        .map(|(name, value)| (name, text(value)))
        .collect())
}
