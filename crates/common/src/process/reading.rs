//! What is read of a process: its threads, memory, root, working directory and mapped files.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IoSliceMut, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use procfs::process::{MMapPath, MemoryMap};
use rustix::fs::{Dir, OFlags, fstatfs, makedev, readlinkat};

use crate::process::opened::{open_within, regular};
use crate::process::process_handle::{DeviceAndInode, ProcessHandle};

/// Most bytes of a text in `/proc`. Those of threads and groups have a hundredth of it.
const MOST_BYTES: u64 = 1 << 20;

/// File systems whose files have another device in `/proc/PID/maps` than in stat(2): btrfs, and overlayfs before Linux 6.8
/// (include/uapi/linux/magic.h).
const OTHER_DEVICE: [i64; 2] = [0x9123_683e, 0x794c_7630];

impl ProcessHandle {
    /// Reads a file of its directory in `/proc`, such as `task/TID/comm`.
    pub fn bytes(&self, name: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.entry().open_relative(name).map_err(io::Error::other)?;
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a file of its directory in `/proc` that is plain text.
    pub fn text(&self, name: impl AsRef<Path>) -> io::Result<String> {
        String::from_utf8(self.bytes(name)?).map_err(io::Error::other)
    }

    /// Returns its threads; none if it has ended.
    pub fn threads(&self) -> impl Iterator<Item = u32> + use<> {
        self.numbers("task")
    }

    /// Returns the numbers of its open files; none if it has ended.
    pub fn open_files(&self) -> impl Iterator<Item = u32> + use<> {
        self.numbers("fd")
    }

    /// Returns the numbers that the entries of a directory have as names.
    fn numbers(&self, directory: &str) -> impl Iterator<Item = u32> + use<> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = self.entry().open_relative_flags(directory, flags);
        let entries = opened.ok().and_then(|opened| Dir::new(opened).ok());
        let names = entries.into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().to_str().ok()?.parse().ok())
    }

    /// Returns the root directory of the process.
    pub fn root(&self) -> io::Result<OwnedFd> {
        self.place("root")
    }

    /// Opens a path as the process would see it, without the file itself: no link leads out of its root.
    pub fn open_in_root(&self, path: &Path) -> io::Result<OwnedFd> {
        open_within(self.root()?, path)
    }

    /// Returns device and inode of the working directory.
    pub fn working_directory(&self) -> io::Result<DeviceAndInode> {
        Ok(DeviceAndInode::from(&File::from(self.place("cwd")?).metadata()?))
    }

    fn place(&self, name: &str) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = self.entry().open_relative_flags(name, flags);
        Ok(opened.map_err(io::Error::other)?.into())
    }

    /// Opens an open file of the process to read it, if it is a regular one.
    pub fn open_file(&self, number: u32) -> io::Result<File> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let place = self.entry().open_relative_flags(format!("fd/{number}"), flags);
        regular(&place.map_err(io::Error::other)?.into())
    }

    /// Returns the path of an open file, as the process sees it. It is for display alone.
    pub fn name_of_file(&self, number: u32) -> io::Result<PathBuf> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = self.entry().open_relative_flags(format!("fd/{number}"), flags);
        let name = readlinkat(link.map_err(io::Error::other)?, "", Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(name.into_bytes())))
    }

    /// Returns whether a mapping shows the program.
    pub fn shows_program(&self, map: &MemoryMap) -> bool {
        self.program().is_ok_and(|program| is_mapped(&program, map))
    }

    /// Opens a file that the process has mapped, if it is a regular one.
    ///
    /// The link in `map_files` takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE. Without it the file is looked up by its name
    /// below the root of the process, and has to be the same: a replaced one is not found.
    pub fn open_mapped(&self, map: &MemoryMap) -> io::Result<File> {
        let is_it = |file: &File| is_mapped(file, map);
        if let Some(program) = self.program().ok().filter(is_it) {
            return Ok(program);
        }
        let (start, end) = map.address;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let linked = self
            .entry()
            .open_relative_flags(format!("map_files/{start:x}-{end:x}"), flags);
        if let Ok(place) = linked {
            return regular(&place.into());
        }
        let MMapPath::Path(name) = &map.pathname else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let place = File::from(self.open_in_root(name)?);
        match is_it(&place) {
            true => regular(&place.into()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Reads memory of the process in parts, each of which is read whole or not at all, and returns the number of bytes. The
    /// process is neither stopped nor changed.
    ///
    /// process_vm_readv(2) takes the number of the process. It is this process's: that lives afterwards. CAP_SYS_PTRACE is
    /// enough for it, while `/proc/PID/mem` takes CAP_DAC_READ_SEARCH as well: its mode lets only its owner open it.
    pub fn read_memory(&self, parts: &[RemoteIoVec], bytes: &mut [u8]) -> usize {
        let Ok(pid) = i32::try_from(self.pid()) else {
            return 0;
        };
        let read = process_vm_readv(Pid::from_raw(pid), &mut [IoSliceMut::new(bytes)], parts);
        read.ok().filter(|_| self.is_alive()).unwrap_or(0)
    }
}

/// Returns whether a file is what a mapping shows.
fn is_mapped(file: &File, map: &MemoryMap) -> bool {
    let Ok(found) = file.metadata() else { return false };
    let (major, minor) = map.dev;
    let device = makedev(major.cast_unsigned(), minor.cast_unsigned());
    let has_other = || fstatfs(file).is_ok_and(|kind| OTHER_DEVICE.contains(&kind.f_type));
    found.ino() == map.inode && (found.dev() == device || has_other())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use procfs::FromBufRead;
    use procfs::process::{MMPermissions, MemoryMaps};
    use rustix::fs::{CWD, FileType, Mode, major, minor, mknodat};

    use super::*;

    /// Mapping of the file at a path, with this distance from its inode.
    fn mapping(path: &Path, farther: u64) -> MemoryMap {
        let found = fs::metadata(path).unwrap();
        let (major, minor) = (major(found.dev()), minor(found.dev()));
        let (inode, path) = (found.ino() + farther, path.display());
        let line = format!("1000-2000 r-xp 00000000 {major:02x}:{minor:02x} {inode} {path}\n");
        MemoryMaps::from_buf_read(line.as_bytes()).unwrap().0.remove(0)
    }

    #[test]
    fn what_is_mapped_is_opened_and_nothing_else() {
        let own = ProcessHandle::own().unwrap();
        for map in own.entry().maps().unwrap() {
            let MMapPath::Path(_) = &map.pathname else {
                continue;
            };
            if map.perms.contains(MMPermissions::EXECUTE) {
                let file = own.open_mapped(&map).unwrap();
                assert!(is_mapped(&file, &map), "{map:?}");
            }
        }
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("lib.so");
        fs::write(&path, "").unwrap();
        own.open_mapped(&mapping(&path, 0)).unwrap();
        assert!(own.open_mapped(&mapping(&path, 1)).is_err());
        let elsewhere = MemoryMap {
            dev: (0, 1),
            ..mapping(&path, 0)
        };
        let kind = fstatfs(File::open(&path).unwrap()).unwrap().f_type;
        assert_eq!(
            own.open_mapped(&elsewhere).is_err(),
            !OTHER_DEVICE.contains(&kind)
        );
    }

    #[test]
    fn a_fifo_in_the_place_of_a_library_is_not_waited_for() {
        let base = tempfile::tempdir().unwrap();
        let fifo = base.path().join("lib.so");
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let own = ProcessHandle::own().unwrap();
        let error = own.open_mapped(&mapping(&fifo, 0)).unwrap_err();
        assert_eq!(error.to_string(), "it is not a regular file");
    }

    #[test]
    fn threads_files_and_directories_are_those_of_the_process() {
        let own = ProcessHandle::own().unwrap();
        assert!(own.threads().any(|tid| tid == own.pid()));
        let comm = own.text(format!("task/{}/comm", own.pid())).unwrap();
        assert!(comm.ends_with('\n'));
        let held = tempfile::NamedTempFile::new().unwrap();
        fs::write(&held, "held").unwrap();
        let is_held = |number: u32| {
            let file = own.open_file(number).ok()?;
            Some(io::read_to_string(file).ok()? == "held")
        };
        assert!(own.open_files().any(|number| is_held(number) == Some(true)));
        let here = std::env::current_dir().unwrap();
        assert_eq!(
            own.working_directory().unwrap(),
            DeviceAndInode::from(&fs::metadata(&here).unwrap())
        );
        let place = own.open_in_root(&PathBuf::from("/").join(&here)).unwrap();
        let place = File::from(place).metadata().unwrap();
        assert_eq!(DeviceAndInode::from(&place), own.working_directory().unwrap());
    }

    #[test]
    fn memory_of_a_process_that_ended_is_not_read() {
        let text = *b"seven";
        let mut bytes = [0; 5];
        let parts = [RemoteIoVec {
            base: text.as_ptr().addr(),
            len: text.len(),
        }];
        let own = ProcessHandle::own().unwrap();
        assert_eq!(own.read_memory(&parts, &mut bytes), 5);
        assert_eq!(bytes, text);
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let process = ProcessHandle::open(child.id()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process.read_memory(&parts, &mut bytes), 0);
        assert_eq!(process.threads().count(), 0);
    }
}
