//! A place of its own for everything that a test's runs make.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use logtrace_server::Home as Usual;
use tempfile::TempDir;

use crate::common::{logtrace, patiently};
use crate::leftovers::Leftovers;
use crate::started::{Ended, Started};

/// What keeps a run short.
pub(crate) const SHORT: &str = "--tables 1 --rows 500 --warmup 300ms --duration 1s --rate 100/s";

/// The same, for a run that is to be disturbed in its window.
pub(crate) const LONG: &str = "--tables 1 --rows 500 --warmup 300ms --duration 60s --rate 200/s";

/// A directory that every user may pass, removed at the end: the value of `LOGTRACE_HOME`, and where run directories
/// are.
pub(crate) struct Home {
    directory: TempDir,
    leftovers: Leftovers,
}

impl Home {
    /// One whose servers start from the usual templates, which serve all tests.
    pub(crate) fn new() -> Self {
        let home = Self::without_templates();
        let usual = Usual::default().templates;
        fs::create_dir_all(&usual).unwrap();
        symlink(usual, home.path().join("templates")).unwrap();
        home
    }

    /// One whose servers are initialised first.
    pub(crate) fn without_templates() -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "these tests trace, and start servers as another user: run them as root"
        );
        let directory = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        Self {
            directory,
            leftovers: Leftovers::before(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Where private servers are.
    pub(crate) fn instances(&self) -> PathBuf {
        self.path().join("instances")
    }

    /// The program at home here.
    pub(crate) fn logtrace(&self, arguments: &str) -> Command {
        self.at_home(logtrace(), arguments)
    }

    /// A command at home here, with these arguments behind its own.
    pub(crate) fn at_home(&self, mut command: Command, arguments: &str) -> Command {
        command
            .args(arguments.split_whitespace())
            .env("LOGTRACE_HOME", self.path())
            .current_dir(self.path());
        command
    }

    /// `logtrace run`, started.
    pub(crate) fn start(&self, arguments: &str) -> Started {
        Started::new(self.logtrace(&format!("run {arguments}")), self.path())
    }

    /// `logtrace run`, ended.
    pub(crate) fn run(&self, arguments: &str) -> Ended {
        self.start(arguments).ended()
    }

    /// The run directories.
    pub(crate) fn run_dirs(&self) -> Vec<PathBuf> {
        entries(&self.path().join("logtrace-runs"))
    }

    /// The directories of private servers.
    pub(crate) fn instance_dirs(&self) -> Vec<PathBuf> {
        entries(&self.instances())
            .into_iter()
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("instance-"))
            })
            .collect()
    }

    /// Fails if there is anything of a run but its run directory.
    pub(crate) fn assert_nothing_left(&self) {
        assert_eq!(self.instance_dirs(), Vec::<PathBuf>::new());
        patiently("everything of the run to go", || {
            self.leftovers.since(self.path()).is_empty()
        });
    }

    /// Fails if there is anything of a run at all.
    pub(crate) fn assert_untouched(&self) {
        self.assert_nothing_left();
        assert_eq!(self.run_dirs(), Vec::<PathBuf>::new());
    }

    /// Fails if a run that measured nothing left more than the log of its server, or if its error does not name that.
    pub(crate) fn assert_only_log_left(&self, ended: &Ended) {
        self.assert_nothing_left();
        for run in self.run_dirs() {
            let log = run.join("server.log");
            assert_eq!(entries(&run), [log.as_path()]);
            let log = log.strip_prefix(self.path()).unwrap().to_str().unwrap();
            assert_eq!(ended.stderr.matches(log).count(), 1, "{}", ended.stderr);
        }
    }
}

/// What a directory holds; nothing when there is none.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default()
}
