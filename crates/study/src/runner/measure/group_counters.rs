//! Groups of commits as a server counts them itself.

use std::collections::BTreeMap;
use std::path::Path;

use logtrace_measure::run_dir::read_facts;
use serde::Deserialize;

/// Part of `server.json` that is read.
#[derive(Deserialize)]
struct ServerFile {
    status_delta: BTreeMap<String, i64>,
}

/// Returns the mean number of commits in a group, or `None` if the server of a run does not count them. MariaDB does
/// (`Binlog_commits` and `Binlog_group_commits`, `MYSQL_BIN_LOG::trx_group_commit_leader` in sql/log.cc).
pub(crate) fn group_size(run_dir: &Path) -> Option<f64> {
    let text = read_facts(run_dir, "server.json")?;
    let file: ServerFile = serde_json::from_str(&text).ok()?;
    let count = |name| file.status_delta.get(name).filter(|count| **count > 0);
    let (commits, groups) = (count("Binlog_commits")?, count("Binlog_group_commits")?);
    Some(*commits as f64 / *groups as f64)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn size(delta: &str) -> Option<f64> {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(r#"{{ "server": {{}}, "status_delta": {{ {delta} }} }}"#);
        fs::write(dir.path().join("server.json"), text).unwrap();
        group_size(dir.path())
    }

    #[test]
    fn a_group_has_the_commits_that_the_server_counts() {
        assert_eq!(
            size(r#""Binlog_commits": 12, "Binlog_group_commits": 4"#),
            Some(3.0)
        );
        assert_eq!(size(r#""Binlog_commits": 0, "Binlog_group_commits": 0"#), None);
        assert_eq!(size(r#""Com_commit": 3"#), None);
        assert_eq!(group_size(Path::new("/nonexistent")), None);
    }
}
