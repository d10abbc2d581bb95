//! Removal of what killed runs left behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::unless_gone;
use crate::instance::instance_dir::INSTANCE_PREFIX;
use crate::instance::snapshot::SNAPSHOT_PREFIX;
use crate::process::control_group;
use crate::storage::kernel_settings::{KernelPlace, sweep_settings};
use crate::storage::locked_dir::{LOCK, guard, is_in_use, remove_lock};
use crate::storage::placed_dirs;

/// Result of [`sweep_stale`].
#[derive(Debug, Default)]
pub struct Swept {
    /// Directories, and whether they were removed wholly. The next sweep tries again.
    pub directories: Vec<(PathBuf, io::Result<()>)>,
    /// Places of kernel settings, and whether these have their old values again.
    pub settings: Vec<(KernelPlace, io::Result<()>)>,
}

/// Removes instances and snapshots under `base` if the logtrace that made them is gone, with the files that it placed
/// elsewhere. Restores the settings of the kernel that they changed.
pub fn sweep_stale(base: &Path) -> io::Result<Swept> {
    let mut swept = Swept {
        settings: sweep_settings(base)?,
        ..Swept::default()
    };
    let _guard = guard(base)?;
    for name in instance_names(base)? {
        let path = base.join(name);
        if !is_in_use(&path) {
            let removed = control_group::sweep(&path)
                .and_then(|()| placed_dirs::sweep(&path))
                .and_then(|()| unless_gone(fs::remove_dir_all(&path)))
                .and_then(|()| remove_lock(&path));
            swept.directories.push((path, removed));
        }
    }
    Ok(swept)
}

/// Returns the names of snapshots, and of instances that have a directory, a lock, a note on a control group or a list of
/// placed directories.
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
        } else if let Some(instance) = beside(&name) {
            names.insert(instance.to_owned());
        }
    }
    Ok(names)
}

/// Returns the name of the directory beside which a file of this name is.
fn beside(name: &str) -> Option<&str> {
    let suffixes = [control_group::NOTE, placed_dirs::LIST, LOCK];
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix))
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode};

    use super::*;
    use crate::install::os_user::ServerUser;
    use crate::instance::instance_dir::InstanceDir;

    #[test]
    fn only_directories_without_an_owner_are_swept() {
        let base = tempfile::tempdir().unwrap();
        let living = InstanceDir::create(base.path(), &ServerUser::me()).unwrap();
        let stale = base.path().join("instance-killed");
        fs::create_dir_all(stale.join("data/mysql")).unwrap();
        fs::write(base.path().join("instance-killed.lock"), "").unwrap();
        let kept = base.path().join("kept-killed");
        fs::create_dir(&kept).unwrap();
        let cut_short = base.path().join("instance-nolock");
        fs::create_dir(&cut_short).unwrap();
        let other = base.path().join("mysql");
        fs::create_dir(&other).unwrap();
        let list_alone = base.path().join("instance-placed");
        fs::write(base.path().join("instance-placed.placed"), "").unwrap();
        let group_alone = base.path().join("instance-grouped");
        fs::write(base.path().join("instance-grouped.cgroup"), "/no/such/group").unwrap();
        let swept = sweep_stale(base.path()).unwrap().directories;
        assert!(swept.iter().all(|(_, removed)| removed.is_ok()), "{swept:?}");
        let mut removed: Vec<_> = swept.into_iter().map(|(path, _)| path).collect();
        removed.sort();
        assert_eq!(removed, [group_alone, stale, cut_short, list_alone, kept]);
        assert!(living.path().is_dir() && other.is_dir());
        drop(living);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_fifo_in_place_of_a_lock_does_not_stop_the_sweep() {
        let base = tempfile::tempdir().unwrap();
        let stale = base.path().join("instance-killed");
        fs::create_dir(&stale).unwrap();
        for fifo in [base.path().join("instance-killed.lock"), stale.join("lock")] {
            rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        }
        let (done, swept) = std::sync::mpsc::channel();
        let path = base.path().to_owned();
        std::thread::spawn(move || done.send(sweep_stale(&path).unwrap().directories.len()));
        let swept = swept.recv_timeout(std::time::Duration::from_secs(30));
        assert_eq!(swept, Ok(1));
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
