//! Session that reads and sets global variables of a running server.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};

use crate::error::{ServerError, SettingError};
use crate::settings::global_value::{GlobalValue, hex};
use logtrace_common::{Connection, Flavor};

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

    /// Has the server refuse values that it would change otherwise, such as one below the least that a SET can give
    /// (`throw_bounds_warning` in sql/set_var.cc of both servers, also for plugins). A variable may have such a value: of
    /// MariaDB `innodb_lru_flush_size`, and all of a key cache that is not made yet.
    pub(crate) async fn refuse_inexact_values(&mut self) -> Result<(), ServerError> {
        let strict = self
            .conn
            .query_drop("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
            .await;
        Ok(strict.map_err(|error| self.connection.explain(error))?)
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
    ///
    /// Servers send bytes that are no text as question marks (`init_connect` may have them): so a text is compared with its
    /// digits.
    async fn read(&mut self, name: &str, expression: &str) -> Result<(GlobalValue, bool), ServerError> {
        // The limit is not that of the session.
        let answer = self
            .conn
            .query_iter(format!("SELECT {expression}, HEX({expression}) LIMIT 1"))
            .await;
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
        let value = row.and_then(|mut row| Some((row.take::<Value, _>(0)?, row.take::<Value, _>(1)?)));
        let (Some(column), Some((value, digits))) = (column, value) else {
            return Err(unreadable(name.to_owned(), "it returns no row".to_owned()).into());
        };
        let text = match value {
            Value::NULL => return Ok((GlobalValue::Null, false)),
            Value::Bytes(bytes) => String::from_utf8(bytes).ok(),
            _ => None,
        };
        let is_whole =
            |text: &String| column.is_numeric_type() || digits == Value::Bytes(hex(text).into_bytes());
        let text = text.filter(is_whole);
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
            // ER_SPECIFIC_ACCESS_DENIED_ERROR
            1227 => SettingError::Privilege {
                name,
                privilege: privilege(&error.message).to_owned(),
                message: error.message,
            },
            _ => other(name, error.message),
        }
        .into()
    }
}

/// Returns the statement that gives a variable a value, which is SQL.
pub(crate) fn set_statement(name: &str, literal: &str) -> String {
    format!("SET GLOBAL {name} = {literal}")
}

/// Returns the privilege that a message of the server asks for: of several, the last one. Both servers name `SUPER` first, which
/// includes the others (`get_privilege_desc` and `check_global_access` of sql/auth; `SUPER, BINLOG ADMIN` in MariaDB).
fn privilege(message: &str) -> &str {
    let named = message.split_once("(at least one of) the ");
    let named = named.and_then(|(_, rest)| rest.split_once(" privilege"));
    let privileges = named.map_or("SUPER", |(privileges, _)| privileges);
    let last = privileges.rsplit(" or ").next().unwrap_or(privileges);
    last.rsplit(", ").next().unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::privilege;

    #[test]
    fn the_smallest_privilege_is_named() {
        let message = |which: &str| {
            format!("Access denied; you need (at least one of) the {which} privilege(s) for this operation")
        };
        for (named, smallest) in [
            ("SUPER or SYSTEM_VARIABLES_ADMIN", "SYSTEM_VARIABLES_ADMIN"),
            ("SUPER, BINLOG ADMIN", "BINLOG ADMIN"),
            ("SUPER", "SUPER"),
        ] {
            assert_eq!(privilege(&message(named)), smallest);
        }
        assert_eq!(privilege("no"), "SUPER");
    }
}
