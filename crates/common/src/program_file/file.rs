//! Open program: its headers, its sections and its code.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use object::elf::{SHT_DYNSYM, SHT_SYMTAB};

use crate::program_file::headers::{Headers, ProgramSegment, Section};

/// Largest program that is read. Servers with all debugging information have a quarter of it.
const MOST_BYTES: u64 = 2 << 30;

/// Most bytes of a program that are in memory at once. The largest part of a known server, its call frame information, has a
/// tenth of it.
const MOST_AT_ONCE: u64 = 32 << 20;

/// Bits of an address within its page.
const PAGE_BITS: u64 = 4095;

/// Open program with its headers.
#[derive(Debug)]
pub struct ProgramFile {
    pub(crate) file: File,
    pub(crate) headers: Headers,
}

impl ProgramFile {
    /// Opens a program and reads its headers. The error for a file that is too large says so: a sparse file costs its owner
    /// nothing.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::new(File::open(path)?)
    }

    /// Reads the headers of an open program.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        if length > MOST_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has {length} bytes, and programs of at most {MOST_BYTES} bytes are read"),
            ));
        }
        let headers = Headers::read(&file)?;
        Ok(Self { file, headers })
    }

    /// Returns the address and the content of a section.
    pub fn section(&self, name: &str) -> Option<(u64, Vec<u8>)> {
        let section = self.section_named(name)?;
        Some((section.address, self.bytes(section.offset, section.size)?))
    }

    /// Returns the address of a section.
    pub fn section_address(&self, name: &str) -> Option<u64> {
        Some(self.section_named(name)?.address)
    }

    /// Returns the bytes at an address of the program; none if its file does not have all of them.
    pub fn code(&self, address: u64, size: u64) -> Option<Vec<u8>> {
        let (segment, inside) = self.segment_at(address)?;
        let has_all = inside.checked_add(size)? <= segment.size;
        has_all.then(|| self.bytes(segment.offset.checked_add(inside)?, size))?
    }

    /// Returns the place in the file of an address of the program.
    pub fn file_offset(&self, address: u64) -> Option<u64> {
        let (segment, inside) = self.segment_at(address)?;
        // A damaged file can have any start.
        segment.offset.checked_add(inside)
    }

    /// Returns the lowest address of the program's code.
    pub fn start_of_code(&self) -> Option<u64> {
        let code = self.headers.segments.iter().filter(|segment| segment.is_code);
        code.map(|segment| segment.address).min()
    }

    /// Returns how far a process has the program from where its file says, if its code from `offset` on is mapped at `start`.
    pub fn moved_by(&self, start: u64, offset: u64) -> Option<u64> {
        let segment = self.headers.segments.iter().find(|segment| {
            let pages = segment.offset & !PAGE_BITS..segment.offset.saturating_add(segment.size);
            segment.is_code && pages.contains(&offset)
        })?;
        let address = segment.address.wrapping_sub(segment.offset).wrapping_add(offset);
        Some(start.wrapping_sub(address))
    }

    fn section_named(&self, name: &str) -> Option<&Section> {
        let mut sections = self.headers.sections.iter();
        sections.find(|section| section.name == name)
    }

    fn segment_at(&self, address: u64) -> Option<(&ProgramSegment, u64)> {
        self.headers.segments.iter().find_map(|segment| {
            let inside = address.checked_sub(segment.address)?;
            (inside < segment.size).then_some((segment, inside))
        })
    }

    /// Returns the tables of symbols, the complete one first.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Section> {
        let table = |kind| {
            self.headers
                .sections
                .iter()
                .find(move |section| section.kind == kind)
        };
        [SHT_SYMTAB, SHT_DYNSYM].into_iter().filter_map(table)
    }

    fn bytes(&self, offset: u64, size: u64) -> Option<Vec<u8>> {
        if size > MOST_AT_ONCE {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// File of zeros with a program's first bytes before them.
    fn sparse(bytes: u64) -> io::Result<ProgramFile> {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&own[..64], 0).unwrap();
        file.set_len(bytes).unwrap();
        ProgramFile::new(file)
    }

    #[test]
    fn a_giant_and_a_file_without_an_end_are_refused() {
        let error = sparse(1 << 40).unwrap_err();
        assert!(error.to_string().contains("1099511627776 bytes"), "{error}");
        assert!(ProgramFile::open(Path::new("/dev/zero")).is_err());
        assert!(ProgramFile::open(Path::new("/no such file")).is_err());
    }

    #[test]
    fn what_is_in_memory_has_a_limit() {
        let program = ProgramFile::open(&std::env::current_exe().unwrap()).unwrap();
        assert!(program.bytes(0, MOST_AT_ONCE + 1).is_none());
        assert_eq!(program.bytes(1, 3).as_deref(), Some(&b"ELF"[..]));
        assert!(program.bytes(u64::MAX - 1, 1).is_none());
    }

    #[test]
    fn code_is_that_of_the_process() {
        let program = ProgramFile::open(&std::env::current_exe().unwrap()).unwrap();
        let start = program.start_of_code().unwrap();
        let code = program.code(start, 64).unwrap();
        let offset = program.file_offset(start).unwrap();
        assert_eq!(program.bytes(offset, 64), Some(code));
        assert_eq!(program.moved_by(0x5000_0000 + start, offset), Some(0x5000_0000));
        assert!(program.code(start, u64::MAX).is_none());
        assert!(program.code(u64::MAX, 1).is_none());
        let (address, frames) = program.section(".eh_frame").unwrap();
        assert_eq!(program.section_address(".eh_frame"), Some(address));
        assert!(frames.len() > 1_000);
    }
}
