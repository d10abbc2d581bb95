//! Files that only their owner may read, because statements and variables of a server are private.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::Context;
use rustix::fs::OFlags;

/// Creates a file of mode 0600 in place of what has this name: a link is removed, not followed.
pub fn create_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)
}

/// Opens the file of a lock, and creates it if there is none. Refuses links and what is not a regular file.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Makes the names in a directory durable.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    match File::open(path)?.sync_all() {
        // Some file systems have nothing to do for a directory, and say so.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Replaces a file in one step, durably: readers see the old or the new one as a whole. After an error the old one is still there,
/// and nothing else.
pub fn replace_file(path: &Path, contents: &str) -> anyhow::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = Path::new(&partial);
    let write = || {
        let mut file = create_file(partial)?;
        file.write_all(contents.as_bytes())?;
        // After a power cut, a name without its contents would be an empty file.
        file.sync_all()?;
        fs::rename(partial, path)?;
        sync_directory(path.parent().unwrap_or(path))
    };
    write()
        .inspect_err(|_| {
            // The first error tells the cause.
            let _ = fs::remove_file(partial);
        })
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn files_are_private_and_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        replace_file(&path, "old").unwrap();
        replace_file(&path, "new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_are_replaced_and_locks_are_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("victim"), "precious").unwrap();
        for name in ["run.json", "run.json.partial", "server.log", "lock"] {
            symlink(path("victim"), path(name)).unwrap();
        }
        replace_file(&path("run.json"), "new").unwrap();
        create_file(&path("server.log"))
            .unwrap()
            .write_all(b"log")
            .unwrap();
        open_lock(&path("lock")).unwrap_err();
        mknodat(CWD, path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        open_lock(&path("fifo")).unwrap_err();
        assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
        assert_eq!(fs::read(path("run.json")).unwrap(), b"new");
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        // No file takes the place of a directory.
        fs::create_dir(&path).unwrap();
        replace_file(&path, "new").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
