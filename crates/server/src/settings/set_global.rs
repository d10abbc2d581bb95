//! Global variables set on a running server.

use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Value};

use crate::error::{ServerError, SettingError};
use crate::settings::value_match::integer;
use crate::settings::variable::verify;
use logtrace_common::{ConnectError, Connection, Flavor, Variable};

/// Sets global variables on a running server, verifies that it reports the new values, and returns all its variables.
///
/// A variable may limit another one that is set before it. So those that do not have their value are set once more.
pub(crate) async fn set_verified(
    connection: &Connection,
    flavor: Flavor,
    settings: &[Variable],
) -> Result<BTreeMap<String, String>, ServerError> {
    let mut conn = connection.connect().await?;
    for setting in settings {
        match set_global(connection, flavor, &mut conn, setting).await {
            Ok(()) | Err(ServerError::Setting(_)) => {}
            Err(broken) => return Err(broken),
        }
    }
    let mut variables = connection.variables().await?;
    let differs = |setting: &&Variable| verify(std::slice::from_ref(*setting), &variables, flavor).is_err();
    let missing: Vec<_> = settings.iter().filter(differs).collect();
    if !missing.is_empty() {
        for setting in missing {
            set_global(connection, flavor, &mut conn, setting).await?;
        }
        variables = connection.variables().await?;
    }
    connection.disconnect(conn).await?;
    verify(settings, &variables, flavor)?;
    Ok(variables)
}

/// Gives global variables the values that the server's program has built in.
pub(crate) async fn reset_to_default(connection: &Connection, names: &[&str]) -> Result<(), ConnectError> {
    let mut conn = connection.connect().await?;
    for name in names {
        let reset = conn.query_drop(format!("SET GLOBAL {name} = DEFAULT")).await;
        reset.map_err(|error| connection.explain(error))?;
    }
    connection.disconnect(conn).await
}

async fn set_global(
    connection: &Connection,
    flavor: Flavor,
    conn: &mut Conn,
    setting: &Variable,
) -> Result<(), ServerError> {
    let statement = format!("SET GLOBAL {} = {}", setting.name(), literal(setting.value()));
    let error = match conn.query_drop(statement).await {
        Ok(()) => return Ok(()),
        Err(mysql_async::Error::Server(error)) => error,
        Err(error) => return Err(connection.explain(error).into()),
    };
    let name = setting.name().to_owned();
    Err(match error.code {
        // ER_UNKNOWN_SYSTEM_VARIABLE
        1193 => SettingError::Unknown { name, flavor },
        // ER_INCORRECT_GLOBAL_LOCAL_VAR
        1238 => SettingError::ReadOnly(name),
        _ => SettingError::Refused {
            setting: setting.clone(),
            message: error.message,
        },
    }
    .into())
}

/// Writes a value as SQL. Numbers lose their suffix, which SQL does not know (`256M` is 268435456); words are quoted.
pub(crate) fn literal(value: &str) -> String {
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
