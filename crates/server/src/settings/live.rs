//! Variables that take effect at once when they are set on a running server.

use logtrace_common::{Flavor, Variable};

/// Variables that both servers apply to the next commit, statement or connection.
///
/// The list is short on purpose. Servers report a new value of many other variables at once and apply it later, in part,
/// or only at the next start. `max_binlog_size` is not listed: a smaller value rotates the log that is there.
///
/// For any other variable the server is started again on the same files: it costs seconds, and is right by construction.
/// Tried: changing every dynamic variable, with lists of exceptions. The redo writes of a cell on MariaDB took 4 or 90 us
/// by which cell was measured first, see [`LIVE_ON_MYSQL`].
const LIVE: [&str; 9] = [
    // Read at each sync of the binary log (`MYSQL_BIN_LOG::get_sync_period` in sql/binlog.h; sql/log.h in MariaDB).
    "sync_binlog",
    // The statement itself opens or closes the log (sql/sys_vars.cc, `fix_log_state`).
    "slow_query_log",
    "general_log",
    // The statement itself exchanges the log handlers (sql/sys_vars.cc, `Sys_log_output`).
    "log_output",
    // Compared at each new connection with the number of those that there are (`check_and_incr_conn_count` in
    // connection_handler_manager.cc; `create_new_thread` in MariaDB's mysqld.cc).
    "max_connections",
    // Compared at each PREPARE (`Prepared_statement_map::insert` in sql/sql_class.cc).
    "max_prepared_stmt_count",
    // Copied into each new connection (`THD::init` in sql/sql_class.cc); each measurement makes its own connections.
    "long_query_time",
    // Read by the page cleaner, at least once a second (`srv_max_buf_pool_modified_pct` in buf0flu.cc).
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
];

/// Variable that MySQL reads at each commit (`trx_flush_log_if_needed_low` in trx0trx.cc).
///
/// MariaDB reads it at each commit too. But its value at the start also decides whether the redo log is written through
/// the page cache (MDEV-28766, `os_file_log_buffered` in os0file.cc), where a write takes 4 us instead of 90.
const LIVE_ON_MYSQL: &str = "innodb_flush_log_at_trx_commit";

/// Returns whether a private server takes a new value of this variable while it runs. Any other variable restarts it.
pub fn is_live(flavor: Flavor, variable: &str) -> bool {
    LIVE.contains(&variable) || (flavor == Flavor::MySql && variable == LIVE_ON_MYSQL)
}

/// Change from one list of settings to another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SettingsChange<'a> {
    /// Variables that get their built-in default again.
    pub(crate) reset: Vec<&'a str>,
    /// Settings that are new or have a new value.
    pub(crate) set: Vec<Variable>,
}

impl<'a> SettingsChange<'a> {
    /// Compares the settings that a server has with those that it is to have.
    pub(crate) fn between(has: &'a [Variable], wanted: &[Variable]) -> Self {
        let is_wanted = |name: &str| wanted.iter().any(|setting| setting.name() == name);
        let names = has.iter().map(Variable::name);
        Self {
            reset: names.filter(|name| !is_wanted(name)).collect(),
            set: wanted
                .iter()
                .filter(|setting| !has.contains(setting))
                .cloned()
                .collect(),
        }
    }

    /// Returns whether a running server takes the whole change at once.
    pub(crate) fn is_live(&self, flavor: Flavor) -> bool {
        let set = self.set.iter().map(Variable::name);
        set.chain(self.reset.iter().copied())
            .all(|name| is_live(flavor, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(texts: &[&str]) -> Vec<Variable> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn a_change_names_new_values_and_variables_to_reset() {
        let has = settings(&["sync_binlog=1", "long_query_time=0", "general_log=1"]);
        let wanted = settings(&["sync_binlog=1", "general_log=0", "log_output=TABLE"]);
        let change = SettingsChange::between(&has, &wanted);
        assert_eq!(change.reset, ["long_query_time"]);
        assert_eq!(change.set, settings(&["general_log=0", "log_output=TABLE"]));
    }

    #[test]
    fn one_unlisted_variable_makes_a_change_not_live() {
        let is_live = |flavor, has: &[&str], wanted: &[&str]| {
            SettingsChange::between(&settings(has), &settings(wanted)).is_live(flavor)
        };
        for flavor in [Flavor::MySql, Flavor::MariaDb] {
            assert!(is_live(flavor, &["sync_binlog=1"], &["slow_query_log=1"]));
            assert!(!is_live(flavor, &["innodb_io_capacity=1"], &["slow_query_log=1"]));
            assert!(!is_live(
                flavor,
                &[],
                &["slow_query_log=1", "innodb_io_capacity=1"]
            ));
        }
        let flush = ["innodb_flush_log_at_trx_commit=0"];
        assert!(is_live(Flavor::MySql, &[], &flush));
        assert!(
            !is_live(Flavor::MariaDb, &[], &flush),
            "MariaDB chooses redo buffering at its start"
        );
    }
}
