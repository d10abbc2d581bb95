//! Copies of data directories: with shared blocks if the file system supports them, and with the holes of files.

use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

use rustix::fs::{FallocateFlags, SeekFrom as SeekTo, fallocate, ioctl_ficlone, seek, syncfs};
use rustix::io::Errno;

use crate::error::ServerError;
use crate::install::os_user::ServerUser;

/// Function that returns the existing directory of the copy of an entry, or `None` to leave the entry out.
type Target<'a> = dyn Fn(&DirEntry) -> Option<&'a Path> + 'a;

/// Copies the files and directories under `from` to the new directory `to`, which belongs to `user`. `target` applies to
/// the entries at the top.
pub(crate) fn copy_tree(
    from: &Path,
    to: &Path,
    user: &ServerUser,
    target: &Target<'_>,
) -> Result<(), ServerError> {
    let fail = |source| ServerError::copy(from, to, source);
    let mode = fs::metadata(from).map_err(fail)?.mode() & 0o7777;
    DirBuilder::new().mode(mode).create(to).map_err(fail)?;
    user.own(to).map_err(fail)?;
    copy_contents(from, to, user, target)
}

/// Copies the contents of the directory `from` into existing directories in the same way.
pub(crate) fn copy_contents(
    from: &Path,
    to: &Path,
    user: &ServerUser,
    target: &Target<'_>,
) -> Result<(), ServerError> {
    let fail = |source| ServerError::copy(from, to, source);
    for entry in fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let Some(directory) = target(&entry) else {
            continue;
        };
        let (source, copy) = (entry.path(), directory.join(entry.file_name()));
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            copy_tree(&source, &copy, user, &|_| Some(&copy))?;
        } else if kind.is_file() {
            copy_file(&source, &copy, user).map_err(|error| ServerError::copy(&source, &copy, error))?;
        }
        // Sockets and links of a server that was stopped mean nothing in a copy.
    }
    Ok(())
}

/// Waits until the whole file systems of directories are on disk: writes at a later time would disturb the measurement.
pub(crate) fn sync<'a>(directories: impl IntoIterator<Item = &'a Path>) -> Result<(), ServerError> {
    directories.into_iter().try_for_each(|directory| {
        let sync = || syncfs(File::open(directory)?).map_err(io::Error::from);
        sync().map_err(|source| ServerError::copy(directory, directory, source))
    })
}

fn copy_file(from: &Path, to: &Path, user: &ServerUser) -> io::Result<()> {
    let source = File::open(from)?;
    let metadata = source.metadata()?;
    let target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(metadata.mode() & 0o7777)
        .open(to)?;
    fchown(&target, Some(user.uid), Some(user.gid))?;
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
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_tree_is_copied_with_contents_and_modes() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a"), directory.path().join("b"));
        fs::create_dir_all(from.join("mysql")).unwrap();
        fs::write(from.join("mysql/user.ibd"), b"rows").unwrap();
        fs::write(from.join("empty"), b"").unwrap();
        let key = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(from.join("key"));
        drop(key.unwrap());
        copy_tree(&from, &to, &ServerUser::me(), &|_| Some(&to)).unwrap();
        assert_eq!(fs::read(to.join("mysql/user.ibd")).unwrap(), b"rows");
        assert_eq!(fs::read(to.join("empty")).unwrap(), b"");
        assert_eq!(fs::metadata(to.join("key")).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn holes_stay_holes_and_allocated_files_stay_allocated() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a"), directory.path().join("b"));
        fs::create_dir(&from).unwrap();
        let size = 8 << 20;
        let sparse = File::create(from.join("sparse")).unwrap();
        sparse.set_len(size).unwrap();
        sparse.write_all_at(b"end", size - 3).unwrap();
        let full = File::create(from.join("full")).unwrap();
        fallocate(&full, FallocateFlags::empty(), 0, size).unwrap();
        full.write_all_at(b"middle", size / 2).unwrap();
        copy_tree(&from, &to, &ServerUser::me(), &|_| Some(&to)).unwrap();
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
        for file in ["log/log/1", "mysql/log", "other", "left"] {
            fs::write(from.join(file), file).unwrap();
        }
        let place = |entry: &DirEntry| match entry.file_name().to_str() {
            Some("log") => Some(redo.as_path()),
            Some("left") => None,
            _ => Some(to.as_path()),
        };
        copy_tree(&from, &to, &ServerUser::me(), &place).unwrap();
        assert_eq!(fs::read(redo.join("log/log/1")).unwrap(), b"log/log/1");
        assert!(to.join("mysql/log").is_file() && to.join("other").is_file());
        assert!(!to.join("log").exists() && !to.join("left").exists());
        copy_contents(&redo, &to, &ServerUser::me(), &|_| Some(&to)).unwrap();
        assert_eq!(fs::read(to.join("log/log/1")).unwrap(), b"log/log/1");
    }

    #[test]
    fn a_copy_over_something_names_both() {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        let error = copy_tree(here, here, &ServerUser::me(), &|_| Some(here)).unwrap_err();
        let ServerError::Other(error) = error else {
            panic!("{error}");
        };
        let source: &io::Error = error.downcast_ref().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::AlreadyExists);
        assert!(
            error
                .to_string()
                .ends_with(&format!("to {}", directory.path().display()))
        );
    }
}
