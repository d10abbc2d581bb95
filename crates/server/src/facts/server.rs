//! Facts of a running server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use serde::Serialize;

use crate::error::ServerError;
use logtrace_common::process::ProcessHandle;
use logtrace_common::thread_handling::pools_threads;
use logtrace_common::{Connection, Flavor, LogNames, version_number};

/// Server at the start of its measurement.
#[derive(Clone, Debug, Serialize)]
pub struct ServerFacts {
    /// MySQL or MariaDB.
    pub flavor: Flavor,
    /// Version number, such as `9.7.4`. The variable `version` has the whole version.
    pub version: String,
    /// Process of the server; `None` on another machine.
    pub pid: Option<u32>,
    /// The process itself: all that is read of it goes through this.
    #[serde(skip)]
    pub process: Option<Arc<ProcessHandle>>,
    /// Program of the process (`/proc/PID/exe`, with the path in the server's own mount namespace).
    pub binary: Option<PathBuf>,
    /// `SHOW GLOBAL VARIABLES`. Without a login, the variables that were found in the memory of the process.
    pub variables: BTreeMap<String, String>,
    /// Whether logtrace started the server.
    pub private: bool,
}

impl ServerFacts {
    /// Reads the facts over `connection`. `process` is the server's, if it is on this machine.
    pub(crate) async fn collect(
        connection: &Connection,
        process: Option<Arc<ProcessHandle>>,
        private: bool,
    ) -> Result<Self, ServerError> {
        let variables = connection.variables().await?;
        check_complete(&variables, connection)?;
        let binary = process.as_deref().map(program).transpose()?;
        let text = |name: &str| variables.get(name).cloned().unwrap_or_default();
        let version = text("version");
        let flavor = Flavor::of_version(&format!("{version} {}", text("version_comment")));
        Ok(Self {
            flavor,
            version: version_number(&version).unwrap_or(version),
            pid: process.as_deref().map(ProcessHandle::pid),
            process,
            binary,
            variables,
            private,
        })
    }

    /// Returns the configured file names of the logs, by which files are classified.
    pub fn log_names(&self) -> LogNames {
        log_names(&self.variables)
    }

    /// Returns the data directory, if it is on this machine and known.
    pub fn data_directory(&self) -> Option<PathBuf> {
        self.pid?;
        self.variables.get("datadir").map(PathBuf::from)
    }

    /// Returns whether the server is on another machine.
    pub fn is_remote(&self) -> bool {
        self.pid.is_none()
    }

    /// Returns whether the server uses a thread pool (`thread_handling`), or does not tell. A server without that variable has a thread
    /// for each connection.
    pub fn pools_threads(&self) -> bool {
        let handling = self.variables.get("thread_handling");
        handling.is_some_and(|handling| pools_threads(handling))
    }
}

/// Fails without the variables that say what the server is: an answer that was cut off would be believed in part.
fn check_complete(variables: &BTreeMap<String, String>, connection: &Connection) -> anyhow::Result<()> {
    let is_missing = |&name: &&str| variables.get(name).is_none_or(String::is_empty);
    match ["version", "version_comment"].into_iter().find(is_missing) {
        None => Ok(()),
        Some(name) => Err(anyhow!(
            "the server on {} does not tell what it is: SHOW GLOBAL VARIABLES returns {} variables, and no {name}. Check \
             what the server or a proxy before it does with this statement of user {:?}",
            connection.endpoint,
            variables.len(),
            connection.user
        )),
    }
}

fn program(process: &ProcessHandle) -> anyhow::Result<PathBuf> {
    let name = process.program_name();
    name.context("cannot read the program of the server's process (run logtrace as root)")
}

/// Returns the change of each integer between two `SHOW GLOBAL STATUS`. Counters never fall; gauges may.
pub fn status_delta(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeMap<String, i64> {
    after
        .iter()
        .filter_map(|(name, after)| {
            let after: i64 = after.parse().ok()?;
            let before: i64 = before.get(name)?.parse().ok()?;
            Some((name.clone(), after.checked_sub(before)?))
        })
        .collect()
}

fn log_names(variables: &BTreeMap<String, String>) -> LogNames {
    let file_name = |variable: &str| {
        let path = variables.get(variable).map_or("", String::as_str);
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    LogNames {
        binlog: file_name("log_bin_basename"),
        slow_log: file_name("slow_query_log_file"),
        general_log: file_name("general_log_file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn deltas_are_of_whole_numbers_that_both_have() {
        let before = map(&[
            ("Com_commit", "10"),
            ("Threads_running", "5"),
            ("Tls", ""),
            ("Gone", "1"),
        ]);
        let after = map(&[
            ("Com_commit", "110"),
            ("Threads_running", "2"),
            ("Tls", ""),
            ("New", "1"),
        ]);
        let delta = status_delta(&before, &after);
        assert_eq!(
            delta,
            BTreeMap::from([("Com_commit".into(), 100), ("Threads_running".into(), -3)])
        );
    }

    #[test]
    fn a_server_that_does_not_tell_what_it_is_is_refused() {
        let connection = crate::connection::parse_dsn("mysql://root@localhost/?socket=/x").unwrap();
        let told = |pairs: &[(&str, &str)]| check_complete(&map(pairs), &connection);
        assert!(told(&[("version", "9.7.4"), ("version_comment", "(Debian)")]).is_ok());
        for missing in [
            &[("activate_all_roles", "OFF")][..],
            &[("version", "10.11.4-MariaDB")],
        ] {
            let text = told(missing).unwrap_err().to_string();
            assert!(text.contains("returns 1 variables, and no version"), "{text}");
        }
    }

    #[test]
    fn log_names_are_file_names() {
        let names = log_names(&map(&[
            ("log_bin_basename", "/data/binlog"),
            ("slow_query_log_file", "host-slow.log"),
            ("general_log_file", "/var/log/general.log"),
        ]));
        assert_eq!(names.binlog, "binlog");
        assert_eq!(names.slow_log, "host-slow.log");
        assert_eq!(names.general_log, "general.log");
        assert_eq!(log_names(&map(&[])).binlog, "");
    }
}
