//! Setting a global variable of a server that runs.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};
use thiserror::Error;

use crate::connection::connect::{ConnectError, Connection};
use crate::settings::value_match::integer;
use crate::settings::variable::{Setting, SettingError};
use logtrace_common::Flavor;

/// Why global variables do not have the values that were asked for.
#[derive(Debug, Error)]
pub enum SetError {
    /// The server could not be asked.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// A variable cannot have its value.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Sets a variable to a value; `DEFAULT` is the value that the server's program has built in.
pub(crate) async fn set_global(
    connection: &Connection,
    flavor: Flavor,
    conn: &mut Conn,
    name: &str,
    value: Option<&str>,
) -> Result<(), SetError> {
    let statement = match value {
        Some(value) => format!("SET GLOBAL {name} = {}", literal(value)),
        None => format!("SET GLOBAL {name} = DEFAULT"),
    };
    let set = conn.query_drop(statement).await;
    set.map_err(|error| {
        explain(
            connection,
            flavor,
            &Setting::new(name, value.unwrap_or("DEFAULT")),
            error,
        )
    })
}

/// Server error numbers: 1193 is `ER_UNKNOWN_SYSTEM_VARIABLE`, 1238 `ER_INCORRECT_GLOBAL_LOCAL_VAR`.
fn explain(
    connection: &Connection,
    flavor: Flavor,
    setting: &Setting,
    error: mysql_async::Error,
) -> SetError {
    let mysql_async::Error::Server(server) = &error else {
        return connection.explain(error).into();
    };
    let name = setting.name().to_owned();
    match server.code {
        1193 => SettingError::Unknown { name, flavor },
        1238 => SettingError::ReadOnly(name),
        _ => SettingError::Refused {
            setting: setting.clone(),
            message: server.message.clone(),
        },
    }
    .into()
}

/// A value as SQL: numbers with their suffix worked out, because SQL knows none; anything else quoted.
fn literal(value: &str) -> String {
    if let Some(number) = integer(value) {
        return number.to_string();
    }
    let decimal = value.starts_with(|c: char| c.is_ascii_digit()) && value.parse::<f64>().is_ok();
    if decimal {
        value.to_owned()
    } else {
        Value::from(value).as_sql(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_sql_that_says_the_same() {
        assert_eq!(literal("256M"), "268435456");
        assert_eq!(literal("0.500000"), "0.500000");
        assert_eq!(literal("-1"), "-1");
        assert_eq!(literal("ON"), "'ON'");
        assert_eq!(literal(""), "''");
        assert_eq!(literal("it's"), r"'it\'s'");
        assert_eq!(literal("1; DROP"), "'1; DROP'");
    }
}
