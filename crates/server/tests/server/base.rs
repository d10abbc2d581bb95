//! What the tests with real servers share.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use logtrace_common::{Flavor, Variable};
use logtrace_server::{Home, InstanceConfig, find};
use logtrace_testkit::{Turn, beside_others};
use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, OptsBuilder};
use tempfile::TempDir;

/// A directory that the server's user may pass, removed at the end.
pub(crate) struct Base(
    TempDir,
    #[expect(dead_code, reason = "held until the test ends")] Turn,
);

impl Base {
    pub(crate) fn new() -> Self {
        let root = rustix::process::geteuid().is_root();
        assert!(
            root,
            "these tests start servers as another user: run them as root"
        );
        let directory = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        Self(directory, beside_others())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn instances(&self) -> PathBuf {
        self.path().join("i")
    }

    /// Instances here, templates in the usual place, where they serve all tests.
    pub(crate) fn config(&self, flavor: Flavor, settings: &[&str]) -> InstanceConfig {
        let binary = find(Some(flavor), &Home::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut config = InstanceConfig::new(binary, self.path().join("server.log"));
        config.home.instances = self.instances();
        config.settings = settings
            .iter()
            .map(|text| text.parse::<Variable>().unwrap())
            .collect();
        config
    }

    /// The directories of instances and snapshots, and what is left beside them; without the locks of those that exist.
    pub(crate) fn left(&self) -> Vec<PathBuf> {
        let is_lock = |path: &PathBuf| {
            let is_beside = path
                .extension()
                .is_some_and(|end| end == "lock" || end == "cgroup");
            is_beside && path.with_extension("").is_dir()
        };
        fs::read_dir(self.instances())
            .map(|entries| entries.map(|entry| entry.unwrap().path()))
            .map(|paths| paths.filter(|path| !is_lock(path)).collect())
            .unwrap_or_default()
    }

    /// Processes with this directory in their command line.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let here = self.path().to_string_lossy().into_owned();
        let mentions = |process: &procfs::process::Process| {
            process
                .cmdline()
                .is_ok_and(|words| words.iter().any(|word| word.contains(&here)))
        };
        procfs::process::all_processes()
            .unwrap()
            .flatten()
            .filter(mentions)
            .map(|process| process.pid)
            .collect()
    }
}

/// Collects progress messages.
#[derive(Default)]
pub(crate) struct Messages(Mutex<Vec<String>>);

impl Messages {
    pub(crate) fn add(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }

    pub(crate) fn containing(&self, part: &str) -> usize {
        let messages = self.0.lock().unwrap();
        messages.iter().filter(|message| message.contains(part)).count()
    }
}

/// Asks a server on its socket one thing.
pub(crate) async fn ask<T: FromRow + Send + 'static>(socket: &Path, statement: &str) -> T {
    let mut conn = connect(socket).await;
    let row = conn.query_first(statement).await.unwrap();
    conn.disconnect().await.unwrap();
    row.unwrap()
}

/// Asks a server on its socket for several rows.
pub(crate) async fn all<T: FromRow + Send + 'static>(socket: &Path, statement: &str) -> Vec<T> {
    let mut conn = connect(socket).await;
    let rows = conn.query(statement).await.unwrap();
    conn.disconnect().await.unwrap();
    rows
}

/// Has a server do one thing, if it will.
pub(crate) async fn try_to_tell(socket: &Path, statement: &str) -> mysql_async::Result<()> {
    let mut conn = connect(socket).await;
    conn.query_drop(statement).await?;
    conn.disconnect().await
}

/// Has a server do one thing.
pub(crate) async fn tell(socket: &Path, statement: &str) {
    try_to_tell(socket, statement).await.unwrap();
}

async fn connect(socket: &Path) -> Conn {
    let options = OptsBuilder::default()
        .socket(Some(socket.to_string_lossy()))
        .user(Some("root"));
    Conn::new(options).await.unwrap()
}

/// Waits for something that takes a while, and fails when it never comes.
pub(crate) async fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "this never came");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
