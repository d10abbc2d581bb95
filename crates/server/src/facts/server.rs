//! What a running server says of itself.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

use logtrace_common::{ConnectError, Connection};
use logtrace_common::{Flavor, LogNames, version_number};

/// A server, as it was when its measurement began.
#[derive(Clone, Debug, Serialize)]
pub struct ServerFacts {
    /// MySQL or MariaDB.
    pub flavor: Flavor,
    /// Its version number, such as `9.7.4`; the whole version is the variable `version`.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The program that the process runs (`/proc/PID/exe`, as the server's own mount namespace names it).
    pub binary: PathBuf,
    /// `SHOW GLOBAL VARIABLES`; of a server that is not asked, those that its process tells.
    pub variables: BTreeMap<String, String>,
    /// Whether it is an instance of logtrace's own.
    pub private: bool,
}

impl ServerFacts {
    /// Asks the server behind `connection`, whose process is `pid`.
    pub(crate) async fn collect(
        connection: &Connection,
        pid: u32,
        private: bool,
    ) -> Result<Self, FactsError> {
        let variables = connection.variables().await?;
        let binary =
            fs::read_link(format!("/proc/{pid}/exe")).map_err(|source| FactsError::Binary { pid, source })?;
        let text = |name: &str| variables.get(name).cloned().unwrap_or_default();
        let version = text("version");
        let flavor = Flavor::of_version(&format!("{version} {}", text("version_comment")));
        Ok(Self {
            flavor,
            version: version_number(&version).unwrap_or(version),
            pid,
            binary,
            variables,
            private,
        })
    }

    /// The file names of the logs that a person may have named, as file classes need them.
    pub fn log_names(&self) -> LogNames {
        log_names(&self.variables)
    }

    /// Whether it says that its threads serve whatever connection has something to do (`thread_handling`). A server
    /// that says nothing has a thread for each connection.
    pub fn pools_threads(&self) -> bool {
        let handling = self.variables.get("thread_handling");
        handling.is_some_and(|handling| handling.contains("pool"))
    }
}

/// Why a server's facts are not known.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// It could not be asked.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Its program cannot be told.
    #[error("cannot read /proc/{pid}/exe of the server: {source}. Run logtrace as root")]
    Binary {
        /// The server's process.
        pid: u32,
        /// What the system said.
        source: io::Error,
    },
}

/// The change of each whole number between two `SHOW GLOBAL STATUS`. Counters never fall; gauges may.
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
