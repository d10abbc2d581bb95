//! One study and its directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use logtrace_report::document::{CaveatKind, Document};
use tempfile::TempDir;

use crate::common::{logtrace, tells};

/// Two cells, each measured twice; one of them is slower.
pub(crate) const PLAN: &str = r#"
name = "small"
title = "What it costs to sync the binary log"
question = "How much slower are commits that sync it?"

[base]
workload = "update_key"
tables = 1
rows = 2000
connections = 4
rate = "max"
warmup = "300ms"
duration = "2s"
repeats = 2
settings.innodb_flush_log_at_trx_commit = 2

[[axis]]
name = "server"
[[axis.level]]
name = "mysql"
server = "mysql"
[[axis.level]]
name = "mariadb"
server = "mariadb"

[[axis]]
name = "sync"
[[axis.level]]
name = "no"
settings.sync_binlog = 0
[[axis.level]]
name = "each"
settings.sync_binlog = 1

[[table]]
name = "throughput"
title = "Requests a second"
figure = "throughput"
rows = "server"
columns = "sync"
baseline.sync = "no"
"#;

/// A place for one study.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    /// With a plan of this text.
    pub(crate) fn with(plan: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("plan.toml"), plan).unwrap();
        Self { directory }
    }

    /// The plan's file.
    pub(crate) fn plan(&self) -> PathBuf {
        self.directory.path().join("plan.toml")
    }

    /// Where the study is kept.
    pub(crate) fn out(&self) -> PathBuf {
        self.directory.path().join("out")
    }

    /// Where its servers are.
    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// The study of the plan with these arguments, given as one string.
    pub(crate) fn study(&self, arguments: &str) -> Command {
        self.study_of(&self.plan().display().to_string(), arguments)
    }

    /// The study of this name.
    pub(crate) fn study_of(&self, name: &str, arguments: &str) -> Command {
        let mut command = logtrace();
        command.args(["study", name]).args(arguments.split_whitespace());
        command
            .arg("--out")
            .arg(self.out())
            .arg("--home")
            .arg(self.home());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The documents of all turns that have one, by the path of their directory.
    pub(crate) fn documents(&self) -> BTreeMap<String, Document> {
        let mut documents = BTreeMap::new();
        for cell in entries(&self.out().join("cells")) {
            for turn in entries(&cell) {
                let name = turn.strip_prefix(self.out()).unwrap().display().to_string();
                if let Ok(text) = fs::read_to_string(turn.join("run.json")) {
                    documents.insert(name, logtrace_report::parse_json(&text).unwrap());
                }
            }
        }
        documents
    }

    /// Of those, the ones that were measured to their end.
    pub(crate) fn measured(&self) -> BTreeMap<String, Document> {
        let mut documents = self.documents();
        documents.retain(|_, document| {
            !tells(document, &CaveatKind::UnfinishedRun) && !tells(document, &CaveatKind::Interrupted)
        });
        documents
    }

    /// Waits until so many turns are measured.
    pub(crate) fn wait_for(&self, turns: usize, child: &mut Child) {
        let begun = Instant::now();
        while self.measured().len() < turns {
            assert!(child.try_wait().unwrap().is_none(), "the study ended early");
            assert!(begun.elapsed() < Duration::from_secs(120), "nothing is measured");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Servers, data and mounts of the study are gone.
    pub(crate) fn assert_nothing_left(&self) {
        let left: Vec<PathBuf> = entries(&self.home().join("instances"))
            .into_iter()
            .filter(|path| path.is_dir())
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// What was printed, and the messages.
pub(crate) fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
