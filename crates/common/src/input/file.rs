//! Regular file of limited size.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use super::error::InputError;
use super::kind::InputKind;

/// Bytes of a text that are looked at together.
const CHUNK: usize = 1 << 18;

/// File of a user or of a run directory, open for reading. Reading ends with an error at the limit, even if the file grows.
#[derive(Debug)]
pub struct InputFile {
    file: File,
    limit: u64,
    left: u64,
}

impl InputFile {
    /// Opens the file that a user named.
    ///
    /// The last part of the path must not be a link: errors show lines of a plan or a workload, and a link in a directory of
    /// somebody else could lead to a file that only the reader may see. The directories before it are the user's choice.
    pub fn open(path: &Path, kind: InputKind) -> Result<Self, InputError> {
        Self::open_at(CWD, path, kind)
    }

    /// Opens a file of a directory that is open already. `path` is relative to it.
    pub(super) fn open_at(directory: impl AsFd, path: &Path, kind: InputKind) -> Result<Self, InputError> {
        // To open a device can do something to it, so it is looked at before. It may be replaced meanwhile: then the second
        // look finds it.
        let found = statat(&directory, path, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
        check(&found)?;
        let opened = openat(directory, path, FLAGS, Mode::empty());
        let file = opened.map_err(|error| match error {
            Errno::LOOP => InputError::Link,
            other => InputError::Io(other.into()),
        })?;
        let found = fstat(&file).map_err(io::Error::from)?;
        check(&found)?;
        let (bytes, limit) = (
            u64::try_from(found.st_size).unwrap_or(u64::MAX),
            kind.limit_bytes(),
        );
        match bytes > limit {
            true => Err(InputError::TooLarge { bytes, limit }),
            false => Ok(Self {
                file: file.into(),
                limit,
                left: limit,
            }),
        }
    }

    /// Reads the whole text.
    pub fn read_text(self) -> Result<String, InputError> {
        let bytes = self.read_bytes()?;
        Ok(String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?)
    }

    /// Reads the bytes of a text, which may not be UTF-8.
    pub fn read_bytes(mut self) -> Result<Vec<u8>, InputError> {
        let mut bytes = Vec::new();
        loop {
            let before = bytes.len();
            let read = self.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)?;
            // The holes of a sparse file are such bytes: without this, a small file on the disk would fill the memory.
            if let Some(at) = bytes[before..].iter().position(|&byte| byte == 0) {
                return Err(InputError::NoText((before + at) as u64));
            }
            if read == 0 {
                return Ok(bytes);
            }
        }
    }
}

impl Read for InputFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !into.is_empty() {
            return match self.file.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(InputError::TooLarge {
                    bytes: self.limit + 1,
                    limit: self.limit,
                }
                .into()),
            };
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let read = self.file.read(&mut into[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// A FIFO is not waited for, and a terminal does not become that of this process.
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

fn check(found: &Stat) -> Result<(), InputError> {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(InputError::Link),
        FileType::Directory => Err(InputError::Kind("a directory")),
        FileType::Fifo => Err(InputError::Kind("a FIFO")),
        FileType::Socket => Err(InputError::Kind("a socket")),
        FileType::CharacterDevice | FileType::BlockDevice => Err(InputError::Kind("a device")),
        FileType::Unknown => Err(InputError::Kind("of an unknown kind")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::mknodat;

    use super::*;

    fn refusal(path: &Path) -> String {
        let opened = InputFile::open(path, InputKind::Plan).and_then(InputFile::read_text);
        opened.unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::write(path("file"), "text").unwrap();
        symlink("file", path("link")).unwrap();
        symlink("/dev/zero", path("endless")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        mknodat(CWD, path("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        fs::create_dir(path("directory")).unwrap();
        for link in ["link", "endless", "dangling"] {
            assert!(refusal(&path(link)).contains("is a link"), "{link}");
        }
        for (name, kind) in [
            ("fifo", "a FIFO"),
            ("socket", "a socket"),
            ("directory", "a directory"),
        ] {
            assert!(refusal(&path(name)).contains(kind), "{name}");
        }
        assert!(refusal(Path::new("/dev/null")).contains("a device"));
        let file = InputFile::open(&path("file"), InputKind::Plan).unwrap();
        assert_eq!(file.read_text().unwrap(), "text");
        let missing = InputFile::open(&path("missing"), InputKind::Plan).unwrap_err();
        assert!(missing.is_missing(), "{missing}");
    }

    #[test]
    fn sizes_have_a_limit_also_while_a_file_grows() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        let limit = InputKind::Plan.limit_bytes();
        let mut file = File::create(&path).unwrap();
        file.set_len(limit + 1).unwrap();
        assert!(refusal(&path).contains("4194305 bytes"), "{}", refusal(&path));
        file.set_len(0).unwrap();
        let opened = InputFile::open(&path, InputKind::Plan).unwrap();
        file.write_all(&vec![b'x'; 1 << 22]).unwrap();
        assert_eq!(opened.read_text().unwrap().len() as u64, limit);
        file.set_len(0).unwrap();
        let opened = InputFile::open(&path, InputKind::Plan).unwrap();
        fs::write(&path, vec![b'x'; (1 << 22) + 1]).unwrap();
        let error = opened.read_text().unwrap_err().to_string();
        assert!(error.contains("at most 4194304"), "{error}");
    }

    #[test]
    fn a_text_ends_at_its_first_hole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "text").unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 22)
            .unwrap();
        assert_eq!(refusal(&path), "it is no text: byte 4 is 0");
    }
}
