//! Open directory, in which names are looked up without following links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, Stat, fchmod, fchown, fstat, mkdirat, openat, statat,
    unlinkat,
};
use rustix::process::{Gid, Uid};

use crate::install::os_user::ServerUser;

/// Flags of every file that is opened: a FIFO does not block, and a terminal does not become logtrace's own.
const SAFE: OFlags = OFlags::CLOEXEC
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Open directory, with the path that errors name. Whoever renames or replaces the path does not change it.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    descriptor: OwnedFd,
}

impl Directory {
    /// Opens a directory. Fails if the last part of its path is a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::open_at(CWD, path, path.to_owned())
    }

    /// Opens the directory `name` in this one.
    pub(crate) fn directory(&self, name: &OsStr) -> io::Result<Self> {
        Self::open_at(&self.descriptor, Path::new(name), self.path.join(name))
    }

    fn open_at(parent: impl AsFd, name: &Path, path: PathBuf) -> io::Result<Self> {
        let flags = SAFE | OFlags::RDONLY | OFlags::DIRECTORY;
        let descriptor = openat(parent, name, flags, Mode::empty())?;
        Ok(Self { path, descriptor })
    }

    /// Makes a directory of `mode` in this one and opens it.
    pub(crate) fn make(&self, name: &OsStr, mode: RawMode) -> io::Result<Self> {
        mkdirat(&self.descriptor, name, Mode::from_raw_mode(mode))?;
        self.directory(name)
    }

    /// Opens a regular file in this directory for reading.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        let file = openat(&self.descriptor, name, SAFE | OFlags::RDONLY, Mode::empty())?;
        match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::RegularFile => Ok(file.into()),
            _ => Err(io::Error::other("it is not a regular file")),
        }
    }

    /// Makes a new file of `mode` in this directory.
    pub(crate) fn create(&self, name: &OsStr, mode: RawMode) -> io::Result<File> {
        let flags = SAFE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = openat(&self.descriptor, name, flags, Mode::from_raw_mode(mode))?;
        Ok(file.into())
    }

    /// Removes the name of a file from this directory.
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.descriptor, name, AtFlags::empty())?)
    }

    /// Returns the names in this directory with their kinds. Links have a kind of their own.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, FileType)>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.descriptor)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                let stat = statat(&self.descriptor, &*name, AtFlags::SYMLINK_NOFOLLOW)?;
                entries.push((OsString::from_vec(name), FileType::from_raw_mode(stat.st_mode)));
            }
        }
        Ok(entries)
    }

    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(fstat(&self.descriptor)?)
    }

    /// Sets the permissions of the directory.
    pub(crate) fn set_mode(&self, mode: RawMode) -> io::Result<()> {
        Ok(fchmod(&self.descriptor, Mode::from_raw_mode(mode))?)
    }

    /// Waits until the whole file system of the directory is on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.descriptor)?)
    }
}

/// Makes a directory that only the server's user may enter. Nobody else may be able to change its parent: what the user
/// can change, root makes with [`ServerUser::act`] alone.
pub(crate) fn make_leaf(path: &Path, user: &ServerUser) -> io::Result<()> {
    mkdirat(CWD, path, Mode::RWXU)?;
    let leaf = Directory::open(path)?;
    if user.change {
        let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
        fchown(&leaf.descriptor, Some(uid), Some(gid))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_and_fifos_are_not_opened() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        fs::create_dir(path("real")).unwrap();
        fs::write(path("file"), "").unwrap();
        symlink(path("real"), path("link")).unwrap();
        symlink(path("file"), path("file-link")).unwrap();
        rustix::fs::mknodat(CWD, path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let directory = Directory::open(base.path()).unwrap();
        assert!(Directory::open(&path("link")).is_err());
        assert!(
            directory.directory("link".as_ref()).is_err() && directory.directory("real".as_ref()).is_ok()
        );
        assert!(directory.file("file".as_ref()).is_ok());
        for name in ["file-link", "fifo", "real"] {
            assert!(directory.file(name.as_ref()).is_err(), "{name}");
            assert!(directory.create(name.as_ref(), 0o600).is_err(), "{name}");
        }
    }
}
