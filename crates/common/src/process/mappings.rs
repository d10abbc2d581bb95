//! The list of a process's mappings, to be read again.

use std::fs::File;
use std::io::{self, BufReader, Seek};

use procfs::FromBufRead;
use procfs::process::{MemoryMap, MemoryMaps};

use crate::process::process_handle::ProcessHandle;

/// Open list of the mappings of a process.
///
/// Opening it takes the right to look at the process (fs/proc/base.c, `proc_mem_open()`), and reading it takes none: who gives the
/// right up can still look again.
#[derive(Debug)]
pub struct Mappings(File);

impl Mappings {
    /// Opens the list of a process.
    pub fn open(process: &ProcessHandle) -> io::Result<Self> {
        let opened = process.entry().open_relative("maps");
        opened.map(Self).map_err(io::Error::other)
    }

    /// Reads the mappings of now; none if the process has ended or has executed another program.
    pub fn read(&mut self) -> io::Result<Vec<MemoryMap>> {
        self.0.rewind()?;
        let maps = MemoryMaps::from_buf_read(BufReader::new(&self.0));
        maps.map(|maps| maps.0).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    #[test]
    fn a_mapping_that_comes_later_is_in_the_list_when_it_is_read_again() {
        let own = ProcessHandle::own().unwrap();
        let mut mappings = Mappings::open(&own).unwrap();
        let before = mappings.read().unwrap();
        assert!(before.iter().any(|map| own.shows_program(map)));
        let kept = vec![0u8; 64 << 20];
        let at = ptr::from_ref(&kept[kept.len() / 2]).addr() as u64;
        let has = |maps: &[MemoryMap]| {
            maps.iter()
                .any(|map| (map.address.0..map.address.1).contains(&at))
        };
        assert!(!has(&before) && has(&mappings.read().unwrap()));
    }
}
