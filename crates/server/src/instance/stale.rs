//! Removal of what killed runs left behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::instance::instance_dir::INSTANCE_PREFIX;
use crate::instance::snapshot::SNAPSHOT_PREFIX;
use crate::storage::disk_queue::sweep_queues;
use crate::storage::locked_dir::{guard, is_in_use, unless_gone};
use crate::storage::placed_dirs;

/// Result of [`sweep_stale`].
#[derive(Debug, Default)]
pub struct Swept {
    /// Directories, and whether they were removed wholly. The next sweep tries again.
    pub directories: Vec<(PathBuf, io::Result<()>)>,
    /// Disks, and whether they have their old queue settings again.
    pub queues: Vec<(String, io::Result<()>)>,
}

/// Removes instances and snapshots under `base` if the logtrace that made them is gone, with the files that it placed
/// elsewhere. Gives disks the queue settings that they had before.
pub fn sweep_stale(base: &Path) -> io::Result<Swept> {
    let mut swept = Swept {
        queues: sweep_queues(base)?,
        ..Swept::default()
    };
    let _guard = guard(base)?;
    for name in instance_names(base)? {
        let path = base.join(name);
        if !is_in_use(&path) {
            let removed = placed_dirs::sweep(&path).and_then(|()| unless_gone(fs::remove_dir_all(&path)));
            swept.directories.push((path, removed));
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
        let swept = sweep_stale(base.path()).unwrap().directories;
        assert!(swept.iter().all(|(_, removed)| removed.is_ok()), "{swept:?}");
        let mut removed: Vec<_> = swept.into_iter().map(|(path, _)| path).collect();
        removed.sort();
        assert_eq!(removed, [stale, cut_short, list_alone, kept]);
        assert!(living.path().is_dir() && other.is_dir());
    }
}
