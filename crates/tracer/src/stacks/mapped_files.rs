//! Files that a process has mapped to run code.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use logtrace_common::ProgramFile;
use procfs::process::{MMPermissions, MMapPath, MemoryMap, Process};

/// Program or library in the memory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedFile {
    /// Start of the code in memory.
    pub(crate) start: u64,
    /// End of the code in memory.
    pub(crate) end: u64,
    /// Start of the mapping in the file.
    offset: u64,
    /// Name of the file, for display.
    pub(crate) name: String,
    /// Number of the file in its file system.
    inode: u64,
    /// Paths through which the mapped file may be read, best first.
    paths: [PathBuf; 3],
}

/// Returns the files with code that a process has mapped.
pub(crate) fn mapped_files(pid: u32) -> io::Result<Vec<MappedFile>> {
    let process = i32::try_from(pid).map_err(io::Error::other)?;
    let maps = Process::new(process)
        .and_then(|process| process.maps())
        .map_err(io::Error::other)?;
    Ok(maps.iter().filter_map(|map| mapped_file(pid, map)).collect())
}

pub(crate) fn mapped_file(pid: u32, map: &MemoryMap) -> Option<MappedFile> {
    let MMapPath::Path(file) = &map.pathname else {
        return None;
    };
    let (start, end) = map.address;
    map.perms.contains(MMPermissions::EXECUTE).then(|| MappedFile {
        start,
        end,
        offset: map.offset,
        name: file_name(file),
        inode: map.inode,
        paths: paths(pid, map, file),
    })
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    name.trim_end_matches(" (deleted)").to_owned()
}

/// Returns the paths of a mapped file. The first one also leads to a file that was replaced, but takes CAP_SYS_ADMIN or
/// CAP_CHECKPOINT_RESTORE; the second one does so for the program itself.
fn paths(pid: u32, map: &MemoryMap, file: &Path) -> [PathBuf; 3] {
    let (start, end) = map.address;
    let inside = file.strip_prefix("/").unwrap_or(file);
    [
        PathBuf::from(format!("/proc/{pid}/map_files/{start:x}-{end:x}")),
        PathBuf::from(format!("/proc/{pid}/exe")),
        PathBuf::from(format!("/proc/{pid}/root")).join(inside),
    ]
}

impl MappedFile {
    /// Opens the file.
    pub(crate) fn open(&self) -> io::Result<ProgramFile> {
        let is_it = |path: &&PathBuf| path.metadata().is_ok_and(|found| found.ino() == self.inode);
        let path = self.paths.iter().find(is_it);
        ProgramFile::open(path.ok_or(io::ErrorKind::NotFound)?)
    }

    /// Returns the address in memory of what the file calls address 0.
    pub(crate) fn bias(&self, program: &ProgramFile) -> Option<u64> {
        program.moved_by(self.start, self.offset)
    }
}
