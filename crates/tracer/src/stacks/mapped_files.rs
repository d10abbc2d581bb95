//! Files that a process has mapped to run code.

use std::path::Path;

use logtrace_common::ProgramFile;
use procfs::process::{MMPermissions, MMapPath, MemoryMap};

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
}

/// Returns the file of a mapping with code.
pub(crate) fn mapped_file(map: &MemoryMap) -> Option<MappedFile> {
    let MMapPath::Path(file) = &map.pathname else {
        return None;
    };
    let (start, end) = map.address;
    map.perms.contains(MMPermissions::EXECUTE).then(|| MappedFile {
        start,
        end,
        offset: map.offset,
        name: file_name(file),
    })
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    name.trim_end_matches(" (deleted)").to_owned()
}

impl MappedFile {
    /// Returns the address in memory of what the file calls address 0.
    pub(crate) fn bias(&self, program: &ProgramFile) -> Option<u64> {
        program.moved_by(self.start, self.offset)
    }
}
