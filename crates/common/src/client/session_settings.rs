//! What sessions of logtrace set right after the login: the one list of what they rely on.
//!
//! A session begins with the server's global variables, and `init_connect` may change it. Load, clean-up, checks and
//! requests must not depend on that. What is not listed stays the server's, because it is what people measure: isolation
//! and time limits of requests, the time zone (`SYSTEM` costs a lock), lock waits, `foreign_key_checks`, the binary log.
//! So do variables that need privileges for a session (`sql_log_bin`, `sql_require_primary_key`): where they forbid a
//! statement, its error says so.

use mysql_async::Error;
use mysql_async::prelude::Queryable;

use crate::client::ConnectError;
use crate::client::server_conn::ServerConn;
use crate::connection::Connection;

/// Work of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionUse {
    /// Requests of a file. Its statements are the user's, and run by the rules that the user's applications have.
    FileRequests,
    /// Requests of a workload of logtrace's own.
    Requests,
    /// Load, clean-up, checks, and reading and setting of variables.
    Unmeasured,
}

/// Setting of a session.
#[derive(Clone, Copy, Debug)]
struct SessionSetting {
    /// Names of the variable.
    names: &'static [&'static str],
    /// Setting, as it follows `SET SESSION`.
    sql: &'static str,
    form: Form,
    /// First use that needs the setting; the later ones need it, too.
    from: SessionUse,
    /// What would happen without the setting.
    without: &'static str,
}

/// Form of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Variable of both servers.
    Variable,
    /// Variable of MySQL, in a comment that MariaDB does not execute.
    MySql,
    /// Variable of MariaDB, in a comment that MySQL does not execute.
    MariaDb,
    /// Characteristic of transactions, whose variable has another name in each version.
    Transaction,
}

const SETTINGS: &[SessionSetting] = &[
    SessionSetting {
        names: &["autocommit"],
        sql: "autocommit = 1",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "rows of the load and of requests without BEGIN would be rolled back at the end of the session",
    },
    SessionSetting {
        names: &["completion_type"],
        sql: "completion_type = 0",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "COMMIT would begin another transaction, in which later statements are lost, or end the connection",
    },
    SessionSetting {
        names: &["character_set_client"],
        sql: "character_set_client = utf8mb4",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts in UTF-8 would be misread where the server ignores what a login asks for \
                  (character_set_client_handshake)",
    },
    SessionSetting {
        names: &["character_set_results"],
        sql: "character_set_results = utf8mb4",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts would arrive in another character set",
    },
    SessionSetting {
        names: &["collation_connection", "character_set_connection"],
        sql: "collation_connection = utf8mb4_general_ci",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts would be converted to another character set (both servers have this collation)",
    },
    SessionSetting {
        names: &["sql_mode"],
        sql: "sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "quotes, backslashes, BEGIN and an id of 0 would mean something else (ANSI_QUOTES, \
                 NO_BACKSLASH_ESCAPES, ORACLE, NO_AUTO_VALUE_ON_ZERO), and what does not fit would be cut off",
    },
    SessionSetting {
        names: &["sql_select_limit"],
        sql: "sql_select_limit = 18446744073709551615",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "answers would be cut off, those of SHOW, too",
    },
    SessionSetting {
        names: &["sql_big_selects", "max_join_size"],
        sql: "sql_big_selects = 1",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "a table with more rows than max_join_size could not be counted",
    },
    SessionSetting {
        names: &["sql_safe_updates"],
        sql: "sql_safe_updates = 0",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "an UPDATE would fail where the optimizer reads a small table without its key",
    },
    SessionSetting {
        names: &["transaction_read_only", "tx_read_only"],
        sql: "TRANSACTION READ WRITE",
        form: Form::Transaction,
        from: SessionUse::Requests,
        without: "nothing could be written",
    },
    SessionSetting {
        names: &["transaction_isolation", "tx_isolation"],
        sql: "TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        form: Form::Transaction,
        from: SessionUse::Unmeasured,
        without: "a check of tables in use would see parts of transactions (READ UNCOMMITTED), or lock rows",
    },
    SessionSetting {
        names: &["unique_checks"],
        sql: "unique_checks = 1",
        form: Form::Variable,
        from: SessionUse::Unmeasured,
        without: "InnoDB may let duplicates into unique indexes",
    },
    SessionSetting {
        names: &["wait_timeout"],
        sql: "wait_timeout = 31536000",
        form: Form::Variable,
        from: SessionUse::Unmeasured,
        without: "a session that waits for the end of a load would be closed (a year is the maximum)",
    },
    SessionSetting {
        names: &["max_execution_time"],
        sql: "max_execution_time = 0",
        form: Form::MySql,
        from: SessionUse::Unmeasured,
        without: "counting and checking large tables would take too long",
    },
    SessionSetting {
        names: &["max_statement_time"],
        sql: "max_statement_time = 0",
        form: Form::MariaDb,
        from: SessionUse::Unmeasured,
        without: "loading, counting and checking large tables would take too long",
    },
];

impl SessionSetting {
    /// Returns whether sessions of this use need the setting. Variables whose value the user chose stay the server's.
    fn applies(&self, session: SessionUse, chosen: &[&str]) -> bool {
        session >= self.from && !self.names.iter().any(|name| chosen.contains(name))
    }

    /// Returns the statement for this setting alone.
    fn statement(&self) -> String {
        match self.form {
            Form::Variable | Form::Transaction => format!("SET SESSION {}", self.sql),
            // The other server refuses a comment alone.
            Form::MySql | Form::MariaDb => format!("SET @logtrace = NULL{}", self.further()),
        }
    }

    /// Returns the setting as it follows others in one statement. Servers execute a comment of their own
    /// (dev.mysql.com/doc/refman/9.7/en/comments.html, mariadb.com/kb/en/comment-syntax).
    fn further(&self) -> String {
        match self.form {
            Form::Variable => format!(", {}", self.sql),
            Form::MySql => format!(" /*!50708 , SESSION {} */", self.sql),
            Form::MariaDb => format!(" /*M! , SESSION {} */", self.sql),
            Form::Transaction => String::new(),
        }
    }
}

/// Statement that makes several settings at once.
struct Joined {
    sql: String,
    settings: Vec<&'static SessionSetting>,
}

/// Returns the statements for a session: one for all variables, and one for each characteristic of transactions.
fn statements(session: SessionUse, chosen: &[&str]) -> Vec<Joined> {
    let settings = SETTINGS.iter().filter(|setting| setting.applies(session, chosen));
    let (of_transactions, mut variables): (Vec<&SessionSetting>, Vec<&SessionSetting>) =
        settings.partition(|setting| setting.form == Form::Transaction);
    // The statement begins with a variable that both servers have.
    variables.sort_by_key(|setting| setting.form != Form::Variable);
    let (first, more) = match variables.split_first() {
        Some((first, more)) => (Some(first.statement()), more),
        None => (None, &[][..]),
    };
    let of_variables = first.map(|first| Joined {
        sql: first + &more.iter().map(|setting| setting.further()).collect::<String>(),
        settings: variables.clone(),
    });
    let of_transactions = of_transactions.into_iter().map(|setting| Joined {
        sql: setting.statement(),
        settings: vec![setting],
    });
    of_variables.into_iter().chain(of_transactions).collect()
}

impl Connection {
    /// Sets what a session relies on, by `send`, which sends one statement. `chosen` has the names of variables that the
    /// user set on the server: they stay.
    ///
    /// Fails with [`ConnectError::Session`], which names the setting that the server refuses.
    pub async fn set_up_session(
        &self,
        session: SessionUse,
        chosen: &[&str],
        mut send: impl AsyncFnMut(String) -> Result<(), Error>,
    ) -> Result<(), ConnectError> {
        for Joined { sql, settings } in statements(session, chosen) {
            match send(sql).await {
                Ok(()) => {}
                Err(Error::Server(_)) => {
                    for setting in settings {
                        let alone = send(setting.statement()).await;
                        alone.map_err(|reason| self.setting_refused(setting, reason))?;
                    }
                }
                Err(error) => return Err(self.explain(error)),
            }
        }
        Ok(())
    }

    /// Sets what a session relies on whose work is not measured.
    pub(crate) async fn set_up(&self, mut conn: ServerConn) -> Result<ServerConn, ConnectError> {
        let send = async |sql: String| conn.query_drop(sql).await;
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

    fn sql(session: SessionUse, chosen: &[&str]) -> Vec<String> {
        let statements = statements(session, chosen).into_iter();
        statements.map(|joined| joined.sql).collect()
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

    #[test]
    fn each_setting_has_a_reason_and_a_name_of_its_own() {
        for (at, setting) in SETTINGS.iter().enumerate() {
            assert!(!setting.without.is_empty(), "{setting:?}");
            assert!(setting.form == Form::Transaction || setting.sql.starts_with(setting.names[0]));
            let others = SETTINGS[at + 1..].iter().flat_map(|other| other.names);
            assert!(
                others.into_iter().all(|name| !setting.names.contains(name)),
                "{setting:?}"
            );
        }
    }
}
