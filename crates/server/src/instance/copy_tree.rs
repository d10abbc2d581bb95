//! Copies of data directories: with shared blocks if the file system supports them, and with the holes of files.
//!
//! The server's user can change what is copied, during the copy too: call these functions from
//! [`ServerUser::act`](crate::install::os_user::ServerUser::act). They follow no links.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use rustix::fs::{FallocateFlags, FileType, SeekFrom as SeekTo, fallocate, ioctl_ficlone, seek};
use rustix::io::Errno;

use crate::error::ServerError;
use crate::storage::directory::Directory;

/// Bits of a mode that a copy has: none of set-user-id, set-group-id and sticky.
const PERMISSIONS: u32 = 0o777;

/// Function that returns the directory for the copy of an entry by its name and whether it is a directory, or `None` to
/// leave the entry out.
type CopyTarget<'a> = dyn Fn(&OsStr, bool) -> Option<&'a Directory> + 'a;

/// Copies the files and directories in `from`. `target` applies to the entries at the top.
pub(crate) fn copy_contents<'a>(from: &Directory, target: &CopyTarget<'a>) -> Result<(), ServerError> {
    let fail = |source| ServerError::copy(&from.path, &from.path, source);
    for (name, kind) in from.entries().map_err(fail)? {
        let Some(to) = target(&name, kind == FileType::Directory) else {
            continue;
        };
        let fail = |source| ServerError::copy(&from.path.join(&name), &to.path.join(&name), source);
        match kind {
            FileType::Directory => copy_directory(from, to, &name)?,
            FileType::RegularFile => copy_file(from, to, &name).map_err(fail)?,
            // Sockets and links of a server that was stopped mean nothing in a copy.
            _ => {}
        }
    }
    Ok(())
}

fn copy_directory(from: &Directory, to: &Directory, name: &OsStr) -> Result<(), ServerError> {
    let open = || {
        let source = from.directory(name)?;
        let copy = to.make(name, source.stat()?.st_mode & PERMISSIONS)?;
        Ok((source, copy))
    };
    let (source, copy) =
        open().map_err(|error| ServerError::copy(&from.path.join(name), &to.path.join(name), error))?;
    copy_contents(&source, &|_, _| Some(&copy))
}

fn copy_file(from: &Directory, to: &Directory, name: &OsStr) -> io::Result<()> {
    let source = from.file(name)?;
    let metadata = source.metadata()?;
    let target = to.create(name, metadata.mode() & PERMISSIONS)?;
    if ioctl_ficlone(&target, &source).is_ok() {
        return Ok(());
    }
    target.set_len(metadata.len())?;
    if metadata.blocks() * 512 >= metadata.len() {
        // A preallocated redo log must stay one: allocation during a commit would be measured as its cost.
        preallocate(&target, metadata.len())?;
    }
    copy_data(&source, &target)
}

fn preallocate(file: &File, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Copies each range of data to the same offset, in the kernel if possible.
fn copy_data(mut source: &File, mut target: &File) -> io::Result<()> {
    let mut end = 0;
    loop {
        let start = match seek(source, SeekTo::Data(end)) {
            Err(Errno::NXIO) => return Ok(()),
            start => start?,
        };
        end = seek(source, SeekTo::Hole(start))?;
        source.seek(SeekFrom::Start(start))?;
        target.seek(SeekFrom::Start(start))?;
        io::copy(&mut source.take(end - start), &mut target)?;
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
    use std::path::Path;

    use super::*;

    /// Copies everything in `from` to `to`, which exists.
    fn copy(from: &Path, to: &Path) -> Result<(), ServerError> {
        let to = Directory::open(to).unwrap();
        copy_contents(&Directory::open(from).unwrap(), &|_, _| Some(&to))
    }

    fn kind(error: ServerError) -> io::ErrorKind {
        let ServerError::Other(error) = error else {
            panic!("{error}");
        };
        error.downcast_ref::<io::Error>().unwrap().kind()
    }

    #[test]
    fn a_tree_is_copied_with_contents_and_modes() {
        let directory = tempfile::tempdir().unwrap();
        let [from, to] = ["a", "b"].map(|name| directory.path().join(name));
        fs::create_dir_all(from.join("mysql")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("mysql/user.ibd"), b"rows").unwrap();
        fs::write(from.join("empty"), b"").unwrap();
        let key = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(from.join("key"));
        drop(key.unwrap());
        copy(&from, &to).unwrap();
        assert_eq!(fs::read(to.join("mysql/user.ibd")).unwrap(), b"rows");
        assert_eq!(fs::read(to.join("empty")).unwrap(), b"");
        assert_eq!(fs::metadata(to.join("key")).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn holes_stay_holes_and_allocated_files_stay_allocated() {
        let directory = tempfile::tempdir().unwrap();
        let [from, to] = ["a", "b"].map(|name| directory.path().join(name));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&to).unwrap();
        let size = 8 << 20;
        let sparse = File::create(from.join("sparse")).unwrap();
        sparse.set_len(size).unwrap();
        sparse.write_all_at(b"end", size - 3).unwrap();
        let full = File::create(from.join("full")).unwrap();
        fallocate(&full, FallocateFlags::empty(), 0, size).unwrap();
        full.write_all_at(b"middle", size / 2).unwrap();
        copy(&from, &to).unwrap();
        for name in ["sparse", "full"] {
            assert!(fs::read(from.join(name)).unwrap() == fs::read(to.join(name)).unwrap());
        }
        let allocated = |name: &str| fs::metadata(to.join(name)).unwrap().blocks() * 512;
        assert!(allocated("sparse") < size / 2);
        assert!(allocated("full") >= size);
    }

    #[test]
    fn what_belongs_elsewhere_is_copied_there() {
        let directory = tempfile::tempdir().unwrap();
        let [from, to, redo] = ["a", "b", "redo"].map(|name| directory.path().join(name));
        fs::create_dir_all(from.join("log/log")).unwrap();
        fs::create_dir_all(from.join("mysql")).unwrap();
        fs::create_dir(&redo).unwrap();
        fs::create_dir(&to).unwrap();
        for file in ["log/log/1", "mysql/log", "other", "left"] {
            fs::write(from.join(file), file).unwrap();
        }
        let [open, open_redo] = [&to, &redo].map(|path| Directory::open(path).unwrap());
        let place = |name: &OsStr, _: bool| match name.to_str() {
            Some("log") => Some(&open_redo),
            Some("left") => None,
            _ => Some(&open),
        };
        copy_contents(&Directory::open(&from).unwrap(), &place).unwrap();
        assert_eq!(fs::read(redo.join("log/log/1")).unwrap(), b"log/log/1");
        assert!(to.join("mysql/log").is_file() && to.join("other").is_file());
        assert!(!to.join("log").exists() && !to.join("left").exists());
        copy(&redo, &to).unwrap();
        assert_eq!(fs::read(to.join("log/log/1")).unwrap(), b"log/log/1");
    }

    #[test]
    fn a_copy_over_something_names_both() {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        fs::write(here.join("file"), "").unwrap();
        let error = copy(here, here).unwrap_err();
        let text = error.to_string();
        assert!(
            text.ends_with(&format!("to {}", here.join("file").display())),
            "{text}"
        );
        assert_eq!(kind(error), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn links_in_either_tree_lead_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let [from, to, canary] = ["a", "b", "canary"].map(|name| directory.path().join(name));
        for path in [&from.join("sub"), &to, &canary] {
            fs::create_dir_all(path).unwrap();
        }
        fs::write(canary.join("key"), "secret").unwrap();
        fs::write(from.join("sub/file"), "").unwrap();
        symlink(&canary, from.join("link")).unwrap();
        symlink(canary.join("key"), from.join("key")).unwrap();
        symlink(&canary, to.join("sub")).unwrap();
        assert_eq!(kind(copy(&from, &to).unwrap_err()), io::ErrorKind::AlreadyExists);
        fs::remove_file(to.join("sub")).unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "links are left out");
        assert_eq!(fs::read_dir(&canary).unwrap().count(), 1);
        assert!(Directory::open(&from.join("link")).is_err() && to.join("sub/file").is_file());
    }
}
