//! What sessions of logtrace set right after the login: the one list of what they rely on.
//!
//! A session begins with the server's global variables, and `init_connect` may change it. Load, clean-up, checks and
//! requests must not depend on that. What is not listed stays the server's, because it is what people measure: isolation
//! and time limits of requests, the time zone (`SYSTEM` costs a lock), lock waits, `foreign_key_checks`, the binary log.
//! So do variables that need privileges for a session (`sql_log_bin`, `sql_require_primary_key`): where they forbid a
//! statement, its error says so.

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
pub(crate) struct SessionSetting {
    /// Names of the variable.
    pub(crate) names: &'static [&'static str],
    /// Setting, as it follows `SET SESSION`.
    pub(crate) sql: &'static str,
    /// Value that a `SELECT` shows afterwards.
    pub(crate) value: &'static str,
    pub(crate) form: Form,
    /// First use that needs the setting; the later ones need it, too.
    pub(crate) from: SessionUse,
    /// What would happen without the setting.
    pub(crate) without: &'static str,
}

/// Form of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Variable of both servers.
    Variable,
    /// Variable of MySQL, in a comment that MariaDB does not execute.
    MySql,
    /// Variable of MariaDB, in a comment that MySQL does not execute.
    MariaDb,
    /// Characteristic of transactions, whose variable has another name on MySQL than on MariaDB, in this order.
    Transaction,
}

pub(crate) const SETTINGS: &[SessionSetting] = &[
    SessionSetting {
        names: &["autocommit"],
        sql: "autocommit = 1",
        value: "1",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "rows of the load and of requests without BEGIN would be rolled back at the end of the session",
    },
    SessionSetting {
        names: &["completion_type"],
        sql: "completion_type = 0",
        value: "NO_CHAIN",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "COMMIT would begin another transaction, in which later statements are lost, or end the connection",
    },
    SessionSetting {
        names: &["character_set_client"],
        sql: "character_set_client = utf8mb4",
        value: "utf8mb4",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts in UTF-8 would be misread where the server ignores what a login asks for \
                  (character_set_client_handshake)",
    },
    SessionSetting {
        names: &["character_set_results"],
        sql: "character_set_results = utf8mb4",
        value: "utf8mb4",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts would arrive in another character set",
    },
    SessionSetting {
        names: &["collation_connection", "character_set_connection"],
        sql: "collation_connection = utf8mb4_general_ci",
        value: "utf8mb4_general_ci",
        form: Form::Variable,
        from: SessionUse::FileRequests,
        without: "texts would be converted to another character set (both servers have this collation)",
    },
    SessionSetting {
        names: &["sql_mode"],
        sql: "sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
        value: "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "quotes, backslashes, BEGIN and an id of 0 would mean something else (ANSI_QUOTES, \
                 NO_BACKSLASH_ESCAPES, ORACLE, NO_AUTO_VALUE_ON_ZERO), and what does not fit would be cut off",
    },
    SessionSetting {
        names: &["sql_select_limit"],
        sql: "sql_select_limit = 18446744073709551615",
        value: "18446744073709551615",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "answers would be cut off, those of SHOW, too",
    },
    SessionSetting {
        names: &["sql_big_selects", "max_join_size"],
        sql: "sql_big_selects = 1",
        value: "1",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "a table with more rows than max_join_size could not be counted",
    },
    SessionSetting {
        names: &["sql_safe_updates"],
        sql: "sql_safe_updates = 0",
        value: "0",
        form: Form::Variable,
        from: SessionUse::Requests,
        without: "an UPDATE would fail where the optimizer reads a small table without its key",
    },
    SessionSetting {
        names: &["transaction_read_only", "tx_read_only"],
        sql: "TRANSACTION READ WRITE",
        value: "0",
        form: Form::Transaction,
        from: SessionUse::Requests,
        without: "nothing could be written",
    },
    SessionSetting {
        names: &["transaction_isolation", "tx_isolation"],
        sql: "TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        value: "REPEATABLE-READ",
        form: Form::Transaction,
        from: SessionUse::Unmeasured,
        without: "a check of tables in use would see parts of transactions (READ UNCOMMITTED), or lock rows",
    },
    SessionSetting {
        names: &["unique_checks"],
        sql: "unique_checks = 1",
        value: "1",
        form: Form::Variable,
        from: SessionUse::Unmeasured,
        without: "InnoDB may let duplicates into unique indexes",
    },
    SessionSetting {
        names: &["wait_timeout"],
        sql: "wait_timeout = 31536000",
        value: "31536000",
        form: Form::Variable,
        from: SessionUse::Unmeasured,
        without: "a session that waits for the end of a load would be closed (a year is the maximum)",
    },
    SessionSetting {
        names: &["max_execution_time"],
        sql: "max_execution_time = 0",
        value: "0",
        form: Form::MySql,
        from: SessionUse::Unmeasured,
        without: "counting and checking large tables would take too long",
    },
    SessionSetting {
        names: &["max_statement_time"],
        sql: "max_statement_time = 0",
        value: "0.000000",
        form: Form::MariaDb,
        from: SessionUse::Unmeasured,
        without: "loading, counting and checking large tables would take too long",
    },
];

impl SessionSetting {
    /// Returns whether sessions of this use need the setting. Variables whose value the user chose stay the server's.
    pub(crate) fn applies(&self, session: SessionUse, chosen: &[&str]) -> bool {
        session >= self.from && !self.names.iter().any(|name| chosen.contains(name))
    }

    /// Returns the statement for this setting alone.
    pub(crate) fn statement(&self) -> String {
        match self.form {
            Form::Variable | Form::Transaction => format!("SET SESSION {}", self.sql),
            // The other server refuses a comment alone.
            Form::MySql | Form::MariaDb => format!("SET @logtrace = NULL{}", self.further()),
        }
    }

    /// Returns the setting as it follows others in one statement. Servers execute a comment of their own
    /// (dev.mysql.com/doc/refman/9.7/en/comments.html, mariadb.com/kb/en/comment-syntax).
    pub(crate) fn further(&self) -> String {
        match self.form {
            Form::Variable => format!(", {}", self.sql),
            Form::MySql => format!(" /*!50708 , SESSION {} */", self.sql),
            Form::MariaDb => format!(" /*M! , SESSION {} */", self.sql),
            Form::Transaction => String::new(),
        }
    }

    /// Returns the variable as it follows others in a `SELECT`, in comments like those of [`Self::further`].
    pub(crate) fn selected(&self) -> String {
        match (self.form, self.names) {
            (Form::Transaction, [mysql, mariadb]) => {
                format!(" /*!50720 , @@{mysql} */ /*M! , @@{mariadb} */")
            }
            (Form::MySql, [name, ..]) => format!(" /*!50708 , @@{name} */"),
            (Form::MariaDb, [name, ..]) => format!(" /*M! , @@{name} */"),
            (Form::Variable | Form::Transaction, [name, ..]) => format!(", @@{name}"),
            (_, []) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
