//! Removal of what killed runs left behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::instance::instance_dir::INSTANCE_PREFIX;
use crate::instance::snapshot::SNAPSHOT_PREFIX;
use crate::storage::disk_queue::sweep_queues;
use crate::storage::locked_dir::{guard, is_in_use};
use crate::storage::placed_dirs;

/// Result of [`sweep_stale`].
#[derive(Debug, Default)]
pub struct Swept {
    /// Directories that were removed.
    pub removed: Vec<PathBuf>,
    /// Directories that could not be removed wholly. The next sweep tries again.
    pub failed: Vec<(PathBuf, io::Error)>,
    /// Disks that have their old queue settings again.
    pub queues: Vec<String>,
    /// Disks that do not have their old queue settings again.
    pub queues_failed: Vec<(String, io::Error)>,
}

/// Removes instances and snapshots under `base` if the logtrace that made them is gone, with the files that it placed
/// elsewhere. Gives disks the queue settings that they had before.
pub fn sweep_stale(base: &Path) -> io::Result<Swept> {
    let mut swept = Swept::default();
    for (disk, done) in sweep_queues(base)? {
        match done {
            Ok(()) => swept.queues.push(disk),
            Err(error) => swept.queues_failed.push((disk, error)),
        }
    }
    let _guard = guard(base)?;
    for name in instance_names(base)? {
        let path = base.join(name);
        if is_in_use(&path) {
            continue;
        }
        match remove_stale(&path) {
            Ok(()) => swept.removed.push(path),
            Err(error) => swept.failed.push((path, error)),
        }
    }
    Ok(swept)
}

/// Returns the names of snapshots, and of instances that have a directory or only a list of placed directories.
fn instance_names(base: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(base)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if ![INSTANCE_PREFIX, SNAPSHOT_PREFIX]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            continue;
        }
        if kind.is_dir() {
            names.insert(name);
        } else if let (true, Some(instance)) = (kind.is_file(), name.strip_suffix(placed_dirs::LIST)) {
            names.insert(instance.to_owned());
        }
    }
    Ok(names)
}

fn remove_stale(instance: &Path) -> io::Result<()> {
    placed_dirs::sweep(instance)?;
    match fs::remove_dir_all(instance) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::os_user::ServerUser;
    use crate::instance::instance_dir::InstanceDir;

    #[test]
    fn only_directories_without_an_owner_are_swept() {
        let base = tempfile::tempdir().unwrap();
        let living = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let stale = base.path().join("instance-killed");
        fs::create_dir_all(stale.join("data/mysql")).unwrap();
        fs::write(stale.join("lock"), "").unwrap();
        let kept = base.path().join("kept-killed");
        fs::create_dir(&kept).unwrap();
        let cut_short = base.path().join("instance-nolock");
        fs::create_dir(&cut_short).unwrap();
        let other = base.path().join("mysql");
        fs::create_dir(&other).unwrap();
        let list_alone = base.path().join("instance-placed");
        fs::write(base.path().join("instance-placed.placed"), "").unwrap();
        let mut removed = sweep_stale(base.path()).unwrap().removed;
        removed.sort();
        assert_eq!(removed, [stale, cut_short, list_alone, kept]);
        assert!(living.path().is_dir() && other.is_dir());
    }
}
