//! The directories that placed files are in, and how they go again.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::install::os_user::ServerUser;
use crate::storage::discard_file::IN_MEMORY;
use crate::storage::place::Place;
use crate::storage::placement::Placement;
use logtrace_common::{FileClass, Flavor};

/// End of the name of the list of an instance's placed directories, which is beside the instance's own: the server's
/// user cannot write there, so that nobody has root remove what is not in it.
pub(crate) const LIST: &str = ".placed";

/// A class of files and the directory that was made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What is placed.
    pub class: FileClass,
    /// Its directory.
    pub directory: PathBuf,
    /// What that is.
    pub on: PlacedOn,
}

/// What the directory of a placed class is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacedOn {
    /// A directory of the machine.
    Directory,
    /// A file system of its own.
    Volume,
    /// A tmpfs of its own.
    Tmpfs,
    /// `/dev/null`: what is written there is gone.
    DevNull,
    /// A file in memory that logtrace empties as it grows.
    EmptiedFile,
}

/// The placed directories of one instance; removed when dropped.
#[derive(Debug)]
pub(crate) struct PlacedDirs {
    made: Vec<Placed>,
    list: PathBuf,
}

impl PlacedDirs {
    /// Makes a directory for each placement in a directory, named after the instance's own and its class. They are listed first: if
    /// logtrace is killed, the next start removes them.
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

    /// Removes them, and says so when that fails.
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

/// The placements that need a directory somewhere else. MySQL refuses `/dev/null` and FIFOs as logs (error 22), so that
/// what shall be nowhere is in memory.
fn directories(
    placements: &[Placement],
    flavor: Flavor,
) -> impl Iterator<Item = (FileClass, &Path, PlacedOn)> {
    placements
        .iter()
        .filter_map(move |placement| match &placement.place {
            Place::Directory(directory) => Some((placement.class, directory.as_path(), PlacedOn::Directory)),
            Place::Nothing if flavor == Flavor::MySql => {
                Some((placement.class, Path::new(IN_MEMORY), PlacedOn::EmptiedFile))
            }
            _ => None,
        })
}

/// Makes a directory that is the server's alone.
pub(crate) fn make(directory: &Path, user: &ServerUser) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(directory)?;
    user.own(directory)
}

/// Removes what the list of an instance names, and the list. Nobody uses the instance any more.
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

/// Paths hold any byte but NUL.
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
            place: Place::Directory(place.path().to_owned()),
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
