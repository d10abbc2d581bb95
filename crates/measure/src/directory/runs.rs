//! Directory in which run directories are created, and the last run in it.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, bail};

use crate::directory::run_dir::{RUN_JSON, RunDir};

/// Usual directory in which run directories are created, in the working directory.
pub const RUNS: &str = "logtrace-runs";

/// Opens the run directory in `parent` that was written last.
pub fn last_run(parent: &Path) -> anyhow::Result<RunDir> {
    let shown = parent.display();
    let none = || format!("there is no run in {shown}: name a run directory, or the page of a run");
    let entries = match fs::read_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => bail!("{}", none()),
        entries => entries.with_context(|| format!("cannot look through {shown}"))?,
    };
    let runs = entries
        .flatten()
        .filter_map(|entry| Some((written(&entry)?, entry.path())));
    // Of two that were written at once, the later name.
    let (_, last) = runs.max().with_context(none)?;
    RunDir::open(&last)
}

/// Returns when the results of a run were written, in seconds and nanoseconds, to be compared with other runs; `None` for what is
/// no run directory.
fn written(entry: &DirEntry) -> Option<(i64, i64)> {
    let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let found = is_directory.then(|| fs::symlink_metadata(entry.path().join(RUN_JSON)))?;
    let found = found.ok()?;
    Some((found.mtime(), found.mtime_nsec()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_last_run_is_the_one_that_was_written_last() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        for parent in [&runs, &place.path().to_owned()] {
            let error = last_run(parent).unwrap_err().to_string();
            assert!(error.contains("name a run directory"), "{error}");
        }
        for (name, time_s) in [("a", 20), ("b", 50), ("c", 10)] {
            let dir = RunDir::replace(&runs.join(name)).unwrap();
            dir.write(RUN_JSON, "{}").unwrap();
            let then = UNIX_EPOCH + Duration::from_secs(time_s);
            File::open(dir.run_json()).unwrap().set_modified(then).unwrap();
        }
        fs::create_dir(runs.join("empty")).unwrap();
        fs::write(runs.join("file"), "text").unwrap();
        let elsewhere = RunDir::replace(&place.path().join("elsewhere")).unwrap();
        elsewhere.write(RUN_JSON, "{}").unwrap();
        symlink(elsewhere.path(), runs.join("link")).unwrap();
        assert_eq!(last_run(&runs).unwrap().path(), runs.join("b"));
    }
}
