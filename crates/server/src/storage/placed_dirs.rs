//! Directories of placed files, and their removal.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::unless_gone;
use crate::install::os_user::ServerUser;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::storage::directory::make_leaf;
use logtrace_common::FileClass;

/// Suffix of the name of the list of an instance's placed directories. The list is beside the instance's own directory,
/// where the server's user cannot write: so root removes nothing that this user wrote into the list.
pub(crate) const LIST: &str = ".placed";

/// Placed directories of an instance; removed when dropped.
#[derive(Debug)]
pub(crate) struct PlacedDirs {
    made: Vec<PathBuf>,
    list: PathBuf,
    /// The list once it has a directory.
    file: Option<File>,
}

impl PlacedDirs {
    pub(crate) fn new(instance: &Path) -> Self {
        Self {
            made: Vec::new(),
            list: list_of(instance),
            file: None,
        }
    }

    /// Makes a directory under `parent`, named after the instance and the class. It is listed first: if logtrace is
    /// killed, the next start removes it.
    pub(crate) fn make(&mut self, parent: &Path, class: FileClass, user: &ServerUser) -> io::Result<PathBuf> {
        let mut name = self.list.file_stem().unwrap_or_default().to_owned();
        name.push(format!("-{class}"));
        let directory = trusted_directory(parent, None, Writers::OthersIfSticky)?.join(name);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(
                OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(&self.list)?,
            ),
        };
        // A path never has NUL.
        file.write_all(&[directory.as_os_str().as_bytes(), &[0]].concat())?;
        make_leaf(&directory, user)?;
        self.made.push(directory.clone());
        Ok(directory)
    }

    /// Removes the directories and returns an error if that fails.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.take_away()
    }

    fn take_away(&mut self) -> io::Result<()> {
        for directory in std::mem::take(&mut self.made) {
            unless_gone(fs::remove_dir_all(directory))?;
        }
        unless_gone(fs::remove_file(&self.list))
    }
}

impl Drop for PlacedDirs {
    fn drop(&mut self) {
        // What stays is in the list, unless the list is gone because nothing was there.
        let _ = self.take_away();
    }
}

/// Removes the directories in the list of an instance, and the list. The instance must not be in use.
pub(crate) fn sweep(instance: &Path) -> io::Result<()> {
    let list = list_of(instance);
    let Ok(text) = fs::read(&list) else {
        return Ok(());
    };
    let name = instance.file_name().unwrap_or_default().as_bytes();
    for path in text.split(|&byte| byte == 0).filter(|path| !path.is_empty()) {
        let path = Path::new(OsStr::from_bytes(path));
        let ours = |last: &OsStr| last.as_bytes().starts_with(name);
        if path.file_name().is_some_and(ours) {
            unless_gone(fs::remove_dir_all(path))?;
        }
    }
    unless_gone(fs::remove_file(&list))
}

fn list_of(instance: &Path) -> PathBuf {
    let mut path = instance.as_os_str().to_owned();
    path.push(LIST);
    path.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn entries(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn placed_directories_are_private_and_go_with_their_owner_or_by_their_list() {
        let base = tempfile::tempdir().unwrap();
        let instance = base.path().join("instance-x");
        let place = tempfile::tempdir().unwrap();
        let create = || {
            let mut dirs = PlacedDirs::new(&instance);
            let classes = [FileClass::Redo, FileClass::Undo];
            let made = classes.map(|class| dirs.make(place.path(), class, &ServerUser::me()).unwrap());
            (dirs, made)
        };
        let (dirs, [redo, _]) = create();
        assert_eq!(redo, place.path().join("instance-x-redo"));
        assert_eq!(fs::metadata(&redo).unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(redo.join("file"), "").unwrap();
        drop(dirs);
        assert_eq!((entries(place.path()), entries(base.path())), (0, 0));

        std::mem::forget(create());
        let neighbour = place.path().join("mine");
        fs::create_dir(&neighbour).unwrap();
        sweep(&instance).unwrap();
        assert_eq!((entries(place.path()), entries(base.path())), (1, 0));
    }

    #[test]
    fn a_list_removes_nothing_but_what_is_named_after_its_instance() {
        let base = tempfile::tempdir().unwrap();
        let (instance, other) = (base.path().join("instance-x"), base.path().join("other"));
        fs::create_dir(&other).unwrap();
        fs::write(list_of(&instance), other.as_os_str().as_bytes()).unwrap();
        sweep(&instance).unwrap();
        assert!(other.is_dir());
    }
}
