//! Setting of session variables, and the check of them before anything is measured.

use logtrace_common::{ConnectError, Connection, SessionUse, Variable};
use mysql_async::Value;

use crate::client::target::Target;
use crate::client::{Call, Conn};
use crate::error::DriveError;

impl Target {
    /// Sets these variables for one session, which then ends. The database need not exist.
    ///
    /// Fails with [`DriveError::Session`] at the first variable that the server does not know or refuses to set.
    pub async fn check_session(&self, variables: &[Variable]) -> Result<(), DriveError> {
        let mut conn = Conn::connect(&self.connection, None).await?;
        set_session(&mut conn, variables).await?;
        // If the session does not end in order, the server ends it.
        let _ = conn.disconnect().await;
        Ok(())
    }
}

/// Sets what requests rely on for the session of a connection, but not the variables in `globals`, which the user set on
/// the server.
pub(crate) async fn set_up(
    conn: &mut Conn,
    connection: &Connection,
    session: SessionUse,
    globals: &[Variable],
) -> Result<(), ConnectError> {
    let chosen: Vec<&str> = globals.iter().map(Variable::name).collect();
    let send = async |sql: String| conn.rows(&Call::Query(sql)).await;
    connection.set_up_session(session, &chosen, send).await
}

/// Sets these variables for the session of a connection.
pub(crate) async fn set_session(conn: &mut Conn, variables: &[Variable]) -> Result<(), DriveError> {
    for variable in variables {
        let set = conn.execute(&Call::Query(statement(variable))).await;
        set.map_err(|reason| DriveError::Session {
            variable: variable.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// Returns the statement that sets a variable. Numbers stay as they are; other values are quoted.
fn statement(variable: &Variable) -> String {
    let (name, value) = (variable.name(), variable.value());
    let is_number =
        value.starts_with(|c: char| c.is_ascii_digit() || c == '-') && value.parse::<f64>().is_ok();
    match is_number {
        true => format!("SET SESSION {name} = {value}"),
        false => format!("SET SESSION {name} = {}", Value::from(value).as_sql(false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_or_quoted_texts() {
        let sql = |text: &str| statement(&text.parse().unwrap());
        assert_eq!(sql("sql_log_bin=0"), "SET SESSION sql_log_bin = 0");
        assert_eq!(sql("Long-Query-Time = 0.5"), "SET SESSION long_query_time = 0.5");
        assert_eq!(sql("sql_mode=ANSI"), "SET SESSION sql_mode = 'ANSI'");
        assert_eq!(sql("sql_mode="), "SET SESSION sql_mode = ''");
        assert_eq!(sql("a=1; DROP"), "SET SESSION a = '1; DROP'");
    }
}
