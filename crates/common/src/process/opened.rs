//! Files of another process, opened without waiting for it and without a side effect.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};

/// Opens a place in the file system, without the file itself.
const PLACE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// Opens a path as a process with this root directory would: neither `..` nor a link leads out of it (openat2(2)). The file
/// itself is not opened.
pub fn open_within(root: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let inside = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(root, path, PLACE, Mode::empty(), inside)?)
}

/// Opens a file by its place, if it is a regular one. Nothing else is opened, not even for a moment: a FIFO would block
/// logtrace, and a device may do something.
pub(crate) fn regular(place: &OwnedFd) -> io::Result<File> {
    if FileType::from_raw_mode(fstat(place)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    // This link leads to what was just looked at, wherever its name leads by now.
    let link = format!("/proc/self/fd/{}", place.as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(open(link, flags, Mode::empty())?.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::read_to_string;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, mknodat};

    use super::*;

    #[test]
    fn a_regular_file_alone_is_opened() {
        let base = tempfile::tempdir().unwrap();
        let path = |name| base.path().join(name);
        let opened = |path: &Path| regular(&open(path, PLACE, Mode::empty()).unwrap());
        mknodat(CWD, path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        symlink("fifo", path("link")).unwrap();
        for other in [path("fifo"), path("link"), base.path().into(), "/dev/zero".into()] {
            let error = opened(&other).unwrap_err().to_string();
            assert_eq!(error, "it is not a regular file", "{}", other.display());
        }
        fs::write(path("file"), "bytes").unwrap();
        assert_eq!(read_to_string(opened(&path("file")).unwrap()).unwrap(), "bytes");
    }

    #[test]
    fn no_link_leads_out_of_a_root() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("proc"), "inside").unwrap();
        symlink("/proc", root.path().join("link")).unwrap();
        symlink("../../../../../../proc", root.path().join("up")).unwrap();
        let directory = File::open(root.path()).unwrap();
        for path in ["/link", "/up", "/../../../../../proc"] {
            let place = open_within(&directory, Path::new(path)).unwrap();
            assert_eq!(read_to_string(regular(&place).unwrap()).unwrap(), "inside");
        }
    }
}
