//! Headers of a program (ELF, 64 bits, little endian).

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;

use object::elf::{FileHeader64, PF_X, PT_LOAD, SHT_DYNSYM, SHT_NOBITS, SHT_SYMTAB, SectionType};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable};
use object::{LittleEndian, ReadCache, ReadRef, SectionIndex};

/// Most bytes of headers. A program has some thousands.
const MOST_BYTES: u64 = 8 << 20;

/// Most bytes that the crate `object` reads for the name of a section.
const NAME_BYTES: u64 = 4096;

/// Segments and sections of a program.
#[derive(Debug)]
pub(crate) struct Headers {
    pub(crate) segments: Vec<ProgramSegment>,
    pub(crate) sections: Vec<Section>,
}

/// Part of a program that is loaded.
#[derive(Debug)]
pub(crate) struct ProgramSegment {
    pub(crate) address: u64,
    /// Place in the file.
    pub(crate) offset: u64,
    /// Bytes in the file.
    pub(crate) size: u64,
    /// Whether it is executable.
    pub(crate) is_code: bool,
}

/// Section of a program that has bytes in its file.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
    /// Type (`sh_type`).
    pub(crate) kind: SectionType,
    /// Place in the file of the names of a table of symbols.
    pub(crate) names: Range<u64>,
}

type Sections<'a> = SectionTable<'a, FileHeader64<LittleEndian>, Limited<'a>>;

impl Headers {
    pub(crate) fn read(file: &File) -> io::Result<Self> {
        let parts = ReadCache::new(file);
        let left = Cell::new(MOST_BYTES);
        Self::parse(Limited {
            parts: &parts,
            left: &left,
        })
        .map_err(io::Error::other)
    }

    fn parse(data: Limited<'_>) -> object::read::Result<Self> {
        let header = FileHeader64::<LittleEndian>::parse(data)?;
        let endian = header.endian()?;
        let segments = header.program_headers(endian, data)?.iter();
        let segments = segments.filter(|segment| segment.p_type(endian) == PT_LOAD);
        let table = header.sections(endian, data)?;
        Ok(Self {
            segments: segments
                .map(|segment| ProgramSegment {
                    address: segment.p_vaddr(endian),
                    offset: segment.p_offset(endian),
                    size: segment.p_filesz(endian),
                    is_code: segment.p_flags(endian).contains(PF_X),
                })
                .collect(),
            sections: (0..table.len())
                .filter_map(|index| section(&table, index))
                .collect(),
        })
    }
}

fn section(table: &Sections<'_>, index: usize) -> Option<Section> {
    let header = table.section(SectionIndex(index)).ok()?;
    let kind = header.sh_type(LittleEndian);
    let name = table.section_name(LittleEndian, header).ok()?;
    let is_symbols = [SHT_SYMTAB, SHT_DYNSYM].contains(&kind);
    let names = is_symbols.then(|| {
        let names = table.section(header.link(LittleEndian)).ok()?;
        let start = names.sh_offset(LittleEndian);
        Some(start..start.checked_add(names.sh_size(LittleEndian))?)
    });
    (kind != SHT_NOBITS).then(|| Section {
        name: String::from_utf8_lossy(name).into_owned(),
        address: header.sh_addr(LittleEndian),
        offset: header.sh_offset(LittleEndian),
        size: header.sh_size(LittleEndian),
        kind,
        names: names.flatten().unwrap_or_default(),
    })
}

/// Content of a program, of which only so many bytes are read.
#[derive(Clone, Copy, Debug)]
struct Limited<'a> {
    parts: &'a ReadCache<&'a File>,
    left: &'a Cell<u64>,
}

impl Limited<'_> {
    fn count(self, bytes: u64) -> Result<(), ()> {
        let left = self.left.get().checked_sub(bytes).ok_or(())?;
        self.left.set(left);
        Ok(())
    }
}

impl<'a> ReadRef<'a> for Limited<'a> {
    fn len(self) -> Result<u64, ()> {
        self.parts.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.count(size)?;
        self.parts.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.count(NAME_BYTES)?;
        self.parts.read_bytes_at_until(range, delimiter)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn more_headers_than_a_program_has_are_refused() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&own[..64], 0).unwrap();
        file.set_len(1 << 30).unwrap();
        let read = |sections: u64| {
            // The headers of sections come first; the first of them has their number (e_shoff, e_shnum, sh_size).
            file.write_all_at(&64u64.to_le_bytes(), 40).unwrap();
            file.write_all_at(&[0; 2], 60).unwrap();
            file.write_all_at(&sections.to_le_bytes(), 64 + 32).unwrap();
            // No segments: e_phoff.
            file.write_all_at(&0u64.to_le_bytes(), 32).unwrap();
            Headers::read(&file)
        };
        assert!(read(100).is_ok());
        assert!(read(1 << 20).is_err());
        assert!(read(u64::MAX).is_err());
    }
}
