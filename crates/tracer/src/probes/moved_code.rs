//! Probes that never fire: the server runs a copy of their code.
//!
//! A uprobe is in the pages of a file (kernel/events/uprobes.c, `valid_vma()`). Libraries that put code on huge pages copy it to
//! anonymous memory, at the same addresses: there the kernel has no place for a probe, and says nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use logtrace_common::process::{Mappings, ProcessHandle};
use procfs::process::{MMPermissions, MemoryMap};

/// Time between two looks: code may be moved at any time, as by a library that is loaded later.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Watch over the code at the probes.
pub(crate) struct MovedCode {
    process: Arc<ProcessHandle>,
    /// List of mappings; `None` if it cannot be read.
    mappings: Option<Mappings>,
    /// Probes with their places in the program's file.
    probes: Vec<(&'static str, Vec<u64>)>,
    /// Probes whose code has been found moved.
    moved: Vec<&'static str>,
    look_at: Instant,
}

impl MovedCode {
    /// Looks for the first time.
    pub(crate) fn watch(process: Arc<ProcessHandle>, probes: Vec<(&'static str, Vec<u64>)>) -> Self {
        let mappings = Mappings::open(&process).ok();
        let mut watch = Self {
            process,
            mappings,
            probes,
            moved: Vec::new(),
            look_at: Instant::now(),
        };
        watch.look();
        watch
    }

    /// Looks again if it is time.
    pub(crate) fn look_again(&mut self) {
        if Instant::now() >= self.look_at {
            self.look();
        }
    }

    /// Returns the probes whose code has been found moved.
    pub(crate) fn probes(&self) -> &[&'static str] {
        &self.moved
    }

    fn look(&mut self) {
        self.look_at = Instant::now() + LOOK_EVERY;
        let maps = self.mappings.as_mut().and_then(|mappings| mappings.read().ok());
        let of_program: Vec<MemoryMap> = maps
            .into_iter()
            .flatten()
            .filter(|map| self.process.shows_program(map))
            .collect();
        for (name, offsets) in &self.probes {
            if !self.moved.contains(name) && is_moved(&of_program, offsets) {
                self.moved.push(name);
            }
        }
    }
}

/// Returns whether one of these places of a program's file is in no mapping with code. Without any mapping of the file nothing is
/// known: its device may have another number there than elsewhere.
fn is_moved(of_program: &[MemoryMap], offsets: &[u64]) -> bool {
    let is_shown = |offset: u64| {
        let mut code = of_program
            .iter()
            .filter(|map| map.perms.contains(MMPermissions::EXECUTE));
        code.any(|map| {
            let (start, end) = map.address;
            let length = end.saturating_sub(start);
            (map.offset..map.offset.saturating_add(length)).contains(&offset)
        })
    };
    !of_program.is_empty() && !offsets.iter().all(|&offset| is_shown(offset))
}

#[cfg(test)]
mod tests {
    use procfs::FromBufRead;
    use procfs::process::MemoryMaps;

    use super::*;

    fn maps(lines: &str) -> Vec<MemoryMap> {
        MemoryMaps::from_buf_read(lines.as_bytes()).unwrap().0
    }

    #[test]
    fn code_that_is_mapped_from_no_file_is_moved() {
        let whole = maps(
            "400000-500000 r--p 00000000 fe:01 77 /usr/sbin/mysqld\n\
             500000-900000 r-xp 00100000 fe:01 77 /usr/sbin/mysqld\n",
        );
        assert!(!is_moved(&whole, &[0x10_0000, 0x4f_ffff]));
        let copied = &whole[..1];
        assert!(is_moved(copied, &[0x10_0000]));
        // Only whole huge pages were copied.
        let partly = maps(
            "400000-500000 r--p 00000000 fe:01 77 /usr/sbin/mysqld\n\
             500000-600000 r-xp 00100000 fe:01 77 /usr/sbin/mysqld\n\
             800000-900000 r-xp 00400000 fe:01 77 /usr/sbin/mysqld\n",
        );
        assert!(!is_moved(&partly, &[0x10_0000, 0x40_0000]));
        assert!(is_moved(&partly, &[0x10_0000, 0x30_0000]));
    }

    #[test]
    fn nothing_is_said_of_a_file_that_no_mapping_shows() {
        assert!(!is_moved(&[], &[0x10_0000]));
    }

    #[test]
    fn the_code_of_this_test_is_where_its_file_is() {
        let own = Arc::new(ProcessHandle::own().unwrap());
        let maps = own.entry().maps().unwrap().0;
        let mut code = maps
            .iter()
            .filter(|map| own.shows_program(map) && map.perms.contains(MMPermissions::EXECUTE));
        let offset = code.next().unwrap().offset;
        let watch = MovedCode::watch(own, vec![("here", vec![offset]), ("nowhere", vec![u64::MAX - 1])]);
        assert_eq!(watch.probes(), ["nowhere"]);
    }
}
