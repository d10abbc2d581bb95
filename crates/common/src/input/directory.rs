//! Directory with inputs.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::error::InputError;
use super::file::InputFile;
use super::kind::InputKind;

/// Open directory. What is below it is opened from its descriptor, and no link below it is followed.
#[derive(Debug)]
pub struct InputDir {
    directory: OwnedFd,
}

impl InputDir {
    /// Opens the directory that a user named. It may be a link: it only says which directory is meant.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::opened(openat(CWD, path, FLAGS, Mode::empty()))
    }

    /// Opens a file below the directory.
    pub fn file(&self, name: &Path, kind: InputKind) -> Result<InputFile, InputError> {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !name.components().all(is_inside) {
            return Err(InputError::Outside);
        }
        let mut parts = name.components().filter(|part| *part != Component::CurDir);
        let Some(last) = parts.next_back() else {
            return Err(InputError::Kind("a directory"));
        };
        let mut inner: Option<OwnedFd> = None;
        for part in parts {
            let parent = inner.as_ref().unwrap_or(&self.directory);
            let opened = openat(parent, part.as_os_str(), FLAGS | OFlags::NOFOLLOW, Mode::empty());
            inner = Some(Self::opened(opened)?.directory);
        }
        InputFile::open_at(inner.as_ref().unwrap_or(&self.directory), last.as_ref(), kind)
    }

    fn opened(opened: Result<OwnedFd, Errno>) -> Result<Self, InputError> {
        match opened {
            Ok(directory) => Ok(Self { directory }),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

/// Only a directory is opened: nothing else keeps a caller waiting.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_below_a_directory_is_followed_and_no_name_leads_out() {
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("inside"), place.path().join("outside"));
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        fs::write(inside.join("sub/file"), "text").unwrap();
        symlink(&outside, inside.join("away")).unwrap();
        symlink(&inside, place.path().join("latest")).unwrap();
        symlink(inside.join("sub/file"), inside.join("link")).unwrap();
        let directory = InputDir::open(&place.path().join("latest")).unwrap();
        let read = |name: &str| {
            let file = directory.file(Path::new(name), InputKind::Plan);
            file.and_then(InputFile::read_text)
        };
        assert_eq!(read("./sub/file").unwrap(), "text");
        for refused in [
            "away/secret",
            "../outside/secret",
            "link",
            "sub/../sub/file",
            "sub",
            ".",
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
        let absolute = outside.join("secret");
        assert!(matches!(
            read(absolute.to_str().unwrap()),
            Err(InputError::Outside)
        ));
        assert!(read("sub/missing").unwrap_err().is_missing());
        assert!(read("missing/file").unwrap_err().is_missing());
    }
}
