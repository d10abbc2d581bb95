//! Setting up of sessions: what a session has is read first, and only what differs is set.
//!
//! A proxy may know a variable no better than the session that sets it. ProxySQL does not know `completion_type`, so it
//! keeps a session that sets it on one group of servers from then on, whatever its rules for later statements are
//! (`unable_to_parse_set_statement()` in its lib/MySQL_Session.cpp). A `SELECT` of variables leaves the rules in effect.

use std::collections::BTreeMap;

use mysql_async::prelude::Queryable;
use mysql_async::{Column, Error, Row, Value};

use crate::client::ConnectError;
use crate::client::server_conn::ServerConn;
use crate::client::session_settings::{Form, SETTINGS, SessionSetting, SessionUse};
use crate::connection::Connection;

/// Statement that makes several settings at once.
struct CombinedSettings {
    sql: String,
    settings: Vec<SessionSetting>,
}

/// Returns the settings that a session needs.
fn needed(session: SessionUse, chosen: &[&str]) -> Vec<SessionSetting> {
    let settings = SETTINGS.iter().filter(|setting| setting.applies(session, chosen));
    settings.copied().collect()
}

/// Returns the statement that reads the settings. Its limit holds whatever `sql_select_limit` is.
fn reading(settings: &[SessionSetting]) -> String {
    let variables: String = settings.iter().map(SessionSetting::selected).collect();
    format!("SELECT 1{variables} LIMIT 1")
}

/// Values of a session's variables by name.
type SessionValues = BTreeMap<String, Vec<u8>>;

/// Returns the values in a row of the statement of [`reading`].
fn values(row: &Row) -> SessionValues {
    let value = |(at, column): (usize, &Column)| match row.as_ref(at)? {
        Value::Bytes(value) => Some((column.name_str().strip_prefix("@@")?.to_owned(), value.clone())),
        _ => None,
    };
    row.columns_ref().iter().enumerate().filter_map(value).collect()
}

/// Returns the settings that a session with these values lacks. Without values nothing is known.
fn lacking(settings: Vec<SessionSetting>, values: Option<&SessionValues>) -> Vec<SessionSetting> {
    let Some(values) = values else {
        return settings;
    };
    let lacking = settings.into_iter().filter_map(|setting| {
        let value = setting.names.iter().find_map(|&name| values.get(name));
        let form = match (value, setting.form) {
            (Some(value), _) if value == setting.value.as_bytes() => return None,
            // It is a variable of this server.
            (Some(_), Form::MySql | Form::MariaDb) => Form::Variable,
            // It is one of the other server.
            (None, Form::MySql | Form::MariaDb) => return None,
            (_, form @ (Form::Variable | Form::Transaction)) => form,
        };
        Some(SessionSetting { form, ..setting })
    });
    lacking.collect()
}

/// Returns the statements that make the settings: one for all variables, and one for each characteristic of transactions.
fn statements(settings: Vec<SessionSetting>) -> Vec<CombinedSettings> {
    let (of_transactions, mut variables): (Vec<_>, Vec<_>) = settings
        .into_iter()
        .partition(|setting| setting.form == Form::Transaction);
    // The statement begins with a variable that both servers have.
    variables.sort_by_key(|setting| setting.form != Form::Variable);
    let of_variables = variables.split_first().map(|(first, more)| CombinedSettings {
        sql: first.statement() + &more.iter().map(SessionSetting::further).collect::<String>(),
        settings: variables.clone(),
    });
    let of_transactions = of_transactions.into_iter().map(|setting| CombinedSettings {
        sql: setting.statement(),
        settings: vec![setting],
    });
    of_variables.into_iter().chain(of_transactions).collect()
}

impl Connection {
    /// Sets what a session relies on and does not have yet, by `send`, which sends one statement and returns its rows.
    /// `chosen` has the names of variables that the user set on the server: they stay.
    ///
    /// Fails with [`ConnectError::Session`], which names the setting that the server refuses.
    pub async fn set_up_session(
        &self,
        session: SessionUse,
        chosen: &[&str],
        mut send: impl AsyncFnMut(String) -> Result<Vec<Row>, Error>,
    ) -> Result<(), ConnectError> {
        let settings = needed(session, chosen);
        let values = match send(reading(&settings)).await {
            Ok(rows) => rows.first().map(values),
            // A server that refuses to tell may still be set.
            Err(Error::Server(_)) => None,
            Err(error) => return Err(self.explain(error)),
        };
        for CombinedSettings { sql, settings } in statements(lacking(settings, values.as_ref())) {
            match send(sql).await {
                Ok(_) => {}
                Err(Error::Server(_)) => {
                    for setting in settings {
                        let alone = send(setting.statement()).await;
                        alone.map_err(|reason| self.setting_refused(&setting, reason))?;
                    }
                }
                Err(error) => return Err(self.explain(error)),
            }
        }
        Ok(())
    }

    /// Sets what a session relies on whose work is not measured.
    pub(crate) async fn set_up(&self, mut conn: ServerConn) -> Result<ServerConn, ConnectError> {
        let send = async |sql: String| conn.query(sql).await;
        self.set_up_session(SessionUse::Unmeasured, &[], send).await?;
        Ok(conn)
    }

    fn setting_refused(&self, setting: &SessionSetting, reason: Error) -> ConnectError {
        match reason {
            Error::Server(_) => ConnectError::Session {
                endpoint: self.endpoint.clone(),
                setting: setting.sql,
                without: setting.without,
                reason: Box::new(reason),
            },
            other => self.explain(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statements for a session of which nothing is known.
    fn sql(session: SessionUse, chosen: &[&str]) -> Vec<String> {
        lacked(session, chosen, None)
    }

    fn lacked(session: SessionUse, chosen: &[&str], values: Option<&SessionValues>) -> Vec<String> {
        let statements = statements(lacking(needed(session, chosen), values)).into_iter();
        statements.map(|joined| joined.sql).collect()
    }

    /// Values of a server that has what sessions rely on, but for `changed`.
    fn values_of(server: Form, changed: &[(&str, &str)]) -> SessionValues {
        let other = match server {
            Form::MySql => Form::MariaDb,
            _ => Form::MySql,
        };
        let of_server = SETTINGS.iter().filter(|setting| setting.form != other);
        let values = of_server.map(|setting| {
            let name = match (setting.form, server) {
                (Form::Transaction, Form::MariaDb) => setting.names[1],
                _ => setting.names[0],
            };
            let changed = changed.iter().find(|(changed, _)| *changed == name);
            let value = changed.map_or(setting.value, |(_, value)| value);
            (name.to_owned(), value.into())
        });
        values.collect()
    }

    #[test]
    fn one_statement_sets_all_variables() {
        let statements = sql(SessionUse::Unmeasured, &[]);
        assert_eq!(statements.len(), 3, "{statements:?}");
        assert!(statements[0].starts_with("SET SESSION autocommit = 1, completion_type = 0, "));
        assert!(
            statements[0].ends_with(
                " /*!50708 , SESSION max_execution_time = 0 */ /*M! , SESSION max_statement_time = 0 */"
            ),
            "{}",
            statements[0]
        );
        assert_eq!(statements[1], "SET SESSION TRANSACTION READ WRITE");
    }

    #[test]
    fn only_what_differs_is_set() {
        for (of, limit) in [
            (Form::MySql, "max_execution_time"),
            (Form::MariaDb, "max_statement_time"),
        ] {
            let lacked =
                |changed: &[(&str, &str)]| lacked(SessionUse::Unmeasured, &[], Some(&values_of(of, changed)));
            assert_eq!(lacked(&[]), Vec::<String>::new());
            assert_eq!(lacked(&[(limit, "7")]), [format!("SET SESSION {limit} = 0")]);
            assert_eq!(
                lacked(&[("wait_timeout", "28800"), ("sql_select_limit", "3")]),
                ["SET SESSION sql_select_limit = 18446744073709551615, wait_timeout = 31536000"]
            );
            for name in ["transaction_read_only", "tx_read_only"] {
                let set = lacked(&[(name, "1")]);
                let is_its_own = name.starts_with("tx") == (of == Form::MariaDb);
                assert_eq!(set.len(), usize::from(is_its_own), "{set:?}");
            }
        }
    }

    #[test]
    fn a_file_keeps_the_servers_rules_and_requests_its_limits() {
        let file = sql(SessionUse::FileRequests, &[]);
        assert_eq!(file.len(), 1);
        assert!(
            file[0].contains("autocommit") && !file[0].contains("sql_mode"),
            "{file:?}"
        );
        let requests = sql(SessionUse::Requests, &[]).join(";");
        assert!(
            requests.contains("sql_mode") && requests.contains("READ WRITE"),
            "{requests}"
        );
        assert!(
            !requests.contains("ISOLATION") && !requests.contains("time"),
            "{requests}"
        );
    }

    #[test]
    fn what_the_user_chose_stays() {
        let chosen = ["autocommit", "tx_read_only", "max_join_size"];
        let left = sql(SessionUse::Requests, &chosen).join(";");
        assert!(left.starts_with("SET SESSION completion_type = 0, "), "{left}");
        for gone in ["autocommit", "READ WRITE", "sql_big_selects"] {
            assert!(!left.contains(gone), "{left}");
        }
    }
}
