//! Directories of placed files, and their removal.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::facts::placed::{Placed, PlacedOn};
use crate::install::os_user::ServerUser;
use crate::storage::discard_file::IN_MEMORY;
use crate::storage::file_location::FileLocation;
use crate::storage::placement::Placement;
use logtrace_common::{FileClass, Flavor};

/// Suffix of the name of the list of an instance's placed directories. The list is beside the instance's own directory,
/// where the server's user cannot write: so root removes nothing that this user wrote into the list.
pub(crate) const LIST: &str = ".placed";

/// Placed directories of an instance; removed when dropped.
#[derive(Debug)]
pub(crate) struct PlacedDirs {
    made: Vec<Placed>,
    list: PathBuf,
}

impl PlacedDirs {
    /// Makes a directory for each placement that needs one, named after the instance and the class. They are listed
    /// first: if logtrace is killed, the next start removes them.
    pub(crate) fn create(
        instance: &Path,
        placements: &[Placement],
        flavor: Flavor,
        user: &ServerUser,
    ) -> io::Result<Self> {
        let mut dirs = Self {
            made: Vec::new(),
            list: list_of(instance),
        };
        let name = instance.file_name().unwrap_or_default();
        let mut wanted = Vec::new();
        for (class, directory, on) in directories(placements, flavor) {
            let mut name = name.to_owned();
            name.push(format!("-{class}"));
            wanted.push(Placed {
                class,
                directory: directory.canonicalize()?.join(name),
                on,
            });
        }
        if wanted.is_empty() {
            return Ok(dirs);
        }
        write_list(&dirs.list, &wanted)?;
        for placed in wanted {
            make(&placed.directory, user)?;
            dirs.made.push(placed);
        }
        Ok(dirs)
    }

    pub(crate) fn all(&self) -> &[Placed] {
        &self.made
    }

    /// Removes the directories and returns an error if that fails.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.take_away()
    }

    fn take_away(&mut self) -> io::Result<()> {
        for placed in std::mem::take(&mut self.made) {
            unless_gone(fs::remove_dir_all(&placed.directory))?;
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

/// Returns the placements that need a directory. MySQL refuses `/dev/null` and FIFOs as logs (error 22), so its
/// discarded logs are files in memory.
fn directories(
    placements: &[Placement],
    flavor: Flavor,
) -> impl Iterator<Item = (FileClass, &Path, PlacedOn)> {
    placements
        .iter()
        .filter_map(move |placement| match &placement.place {
            FileLocation::Directory(directory) => {
                Some((placement.class, directory.as_path(), PlacedOn::Directory))
            }
            FileLocation::Nothing if flavor == Flavor::MySql => {
                Some((placement.class, Path::new(IN_MEMORY), PlacedOn::EmptiedFile))
            }
            _ => None,
        })
}

/// Makes a directory that only the server's user may enter.
pub(crate) fn make(directory: &Path, user: &ServerUser) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(directory)?;
    user.own(directory)
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

/// Writes the paths, each followed by NUL, the only byte that no path has.
fn write_list(path: &Path, wanted: &[Placed]) -> io::Result<()> {
    let mut text = Vec::new();
    for placed in wanted {
        text.extend_from_slice(placed.directory.as_os_str().as_bytes());
        text.push(0);
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(&text)
}

fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
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
        let placements = ["redo", "undo"].map(|class| Placement {
            class: format!("{class}=/").parse::<Placement>().unwrap().class,
            place: FileLocation::Directory(place.path().to_owned()),
        });
        let create = || PlacedDirs::create(&instance, &placements, Flavor::MySql, &ServerUser::me()).unwrap();
        let dirs = create();
        let redo = &dirs.all()[0].directory;
        assert_eq!(*redo, place.path().join("instance-x-redo"));
        assert_eq!(fs::metadata(redo).unwrap().permissions().mode() & 0o777, 0o700);
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
        let directory = other.clone();
        let class = FileClass::Redo;
        let on = PlacedOn::Directory;
        write_list(&list_of(&instance), &[Placed { class, directory, on }]).unwrap();
        sweep(&instance).unwrap();
        assert!(other.is_dir());
    }
}
