//! Run directory: all files of one run.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use logtrace_report::breakdown::{StackTotals, Whole};
use logtrace_report::render::parse_folded;
use thiserror::Error;

/// Run directory and the names of its files. The directory has mode 0700 and files 0600, because statements and
/// variables of a server are private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunDir {
    path: PathBuf,
}

/// Reason why there is no run directory.
#[derive(Debug, Error)]
pub(crate) enum RunDirError {
    /// Directory that could not be created.
    #[error("cannot create the run directory {path} (choose a writable place with --out DIR)")]
    Create {
        /// Path.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Directory that does not exist or has no run.
    #[error("{0} is not a run directory: it holds no run.json")]
    NotARun(PathBuf),
}

impl RunDir {
    /// Creates `PARENT/STARTTIME-WORKLOAD`, with a number appended if that exists.
    pub(crate) fn create(parent: &Path, started: &Zoned, workload: &str) -> Result<Self, RunDirError> {
        let name = format!("{}-{workload}", started.strftime("%Y%m%d-%H%M%S"));
        let create = |path: &Path, recursive| DirBuilder::new().mode(0o700).recursive(recursive).create(path);
        create(parent, true).map_err(|source| RunDirError::Create {
            path: parent.into(),
            source,
        })?;
        let mut path = parent.join(&name);
        for number in 2.. {
            match create(&path, false) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path = parent.join(format!("{name}-{number}"));
                }
                Err(source) => return Err(RunDirError::Create { path, source }),
                Ok(()) => break,
            }
        }
        Ok(Self { path })
    }

    /// Creates the run directory `path`. Removes an existing one first.
    pub(crate) fn replace(path: &Path) -> Result<Self, RunDirError> {
        let made = match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => DirBuilder::new().mode(0o700).recursive(true).create(path),
        };
        made.map(|()| Self { path: path.into() })
            .map_err(|source| RunDirError::Create {
                path: path.into(),
                source,
            })
    }

    /// Opens an existing run directory.
    pub(crate) fn open(path: &Path) -> Result<Self, RunDirError> {
        let dir = Self { path: path.into() };
        if dir.run_json().is_file() {
            Ok(dir)
        } else {
            Err(RunDirError::NotARun(path.into()))
        }
    }

    /// Creates or empties a file of the run directory.
    pub(crate) fn create_file(&self, path: &Path) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path)
    }

    /// Replaces a file of the run directory in one step: readers see the old or the new one as a whole. After an error
    /// the old one is still there, and nothing else.
    pub(crate) fn write(&self, path: &Path, contents: &[u8]) -> io::Result<()> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let mut file = self.create_file(&partial)?;
        io::Write::write_all(&mut file, contents)
            .and_then(|()| fs::rename(&partial, path))
            .inspect_err(|_| {
                // The first error tells the cause.
                let _ = fs::remove_file(&partial);
            })
    }

    /// Returns the path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the run document.
    pub(crate) fn run_json(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// Path of the report as a page.
    pub(crate) fn report_html(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// Path of the flame graph of commits.
    pub(crate) fn flamegraph_svg(&self) -> PathBuf {
        self.path.join("flamegraph.svg")
    }

    /// Path of the folded stacks of commits.
    pub(crate) fn commits_folded(&self) -> PathBuf {
        self.path.join("commits.folded")
    }

    /// Path of the due times of requests.
    pub(crate) fn arrivals_txt(&self) -> PathBuf {
        self.path.join("arrivals.txt")
    }

    /// Path of the workload's file, if the workload came from one.
    pub(crate) fn workload_toml(&self) -> PathBuf {
        self.path.join("workload.toml")
    }

    /// Path of the flame graph of response times.
    pub(crate) fn response_svg(&self) -> PathBuf {
        self.path.join("response.svg")
    }

    /// Path of the folded stacks of response times.
    pub(crate) fn response_folded(&self) -> PathBuf {
        self.path.join("response.folded")
    }

    /// Path of the flame graph of statements outside of commits.
    pub(crate) fn statements_svg(&self) -> PathBuf {
        self.path.join("statements.svg")
    }

    /// Path of the folded stacks of statements.
    pub(crate) fn statements_folded(&self) -> PathBuf {
        self.path.join("statements.folded")
    }

    /// Path of lag, service and response as an `HdrHistogram` interval log.
    pub(crate) fn latency_hlog(&self) -> PathBuf {
        self.path.join("latency.hlog")
    }

    /// Path of the server's version, variables and status changes.
    pub(crate) fn server_json(&self) -> PathBuf {
        self.path.join("server.json")
    }

    /// Path of the facts about kernel, CPU, file systems and devices.
    pub(crate) fn host_json(&self) -> PathBuf {
        self.path.join("host.json")
    }

    /// Path of the log of a private server.
    pub(crate) fn server_log(&self) -> PathBuf {
        self.path.join("server.log")
    }

    /// Path of the saved records (`--record`).
    pub(crate) fn records(&self) -> PathBuf {
        self.path.join("records.bin")
    }
}

/// Returns the path of folded stacks.
pub(crate) fn folded_path(dir: &RunDir, whole: Whole) -> PathBuf {
    match whole {
        Whole::Commit => dir.commits_folded(),
        Whole::Response => dir.response_folded(),
        Whole::Statement => dir.statements_folded(),
    }
}

/// Returns the path of their flame graph.
pub(crate) fn flamegraph_path(dir: &RunDir, whole: Whole) -> PathBuf {
    match whole {
        Whole::Commit => dir.flamegraph_svg(),
        Whole::Response => dir.response_svg(),
        Whole::Statement => dir.statements_svg(),
    }
}

/// Reads the folded stacks of a run.
pub(crate) fn read_stacks(dir: &RunDir) -> anyhow::Result<StackTotals> {
    let mut stacks = StackTotals::default();
    for whole in Whole::ALL {
        let path = folded_path(dir, whole);
        let text = match fs::read_to_string(&path) {
            // A run without tracing has no stacks.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        *stacks.of_mut(whole) =
            parse_folded(whole, &text).with_context(|| format!("cannot understand {}", path.display()))?;
    }
    Ok(stacks)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn two_runs_of_one_second_get_directories_of_their_own() {
        let parent = tempfile::tempdir().unwrap();
        let now = Zoned::now();
        let first = RunDir::create(parent.path(), &now, "insert").unwrap();
        let second = RunDir::create(parent.path(), &now, "insert").unwrap();
        assert_ne!(first, second);
        assert_eq!(
            first.path().metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn what_was_in_a_directory_that_is_replaced_is_gone() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("cells/a/1");
        for _ in 0..2 {
            let dir = RunDir::replace(&path).unwrap();
            assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
            dir.write(&dir.run_json(), b"old").unwrap();
        }
    }

    #[test]
    fn a_directory_without_a_run_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        assert!(matches!(
            RunDir::open(parent.path()),
            Err(RunDirError::NotARun(_))
        ));
    }

    #[test]
    fn files_are_private_and_replaced_whole() {
        let parent = tempfile::tempdir().unwrap();
        let dir = RunDir::create(parent.path(), &Zoned::now(), "insert").unwrap();
        dir.write(&dir.run_json(), b"old").unwrap();
        dir.write(&dir.run_json(), b"new").unwrap();
        assert_eq!(fs::read(dir.run_json()).unwrap(), b"new");
        assert_eq!(
            dir.run_json().metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let dir = RunDir::create(parent.path(), &Zoned::now(), "insert").unwrap();
        // No file takes the place of a directory.
        fs::create_dir(dir.run_json()).unwrap();
        dir.write(&dir.run_json(), b"new").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
