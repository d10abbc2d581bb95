//! Global variables of a running program, read from its memory at the addresses of its symbols.

use std::collections::BTreeMap;
use std::io;
use std::iter::successors;
use std::ops::Range;
use std::sync::Arc;

use logtrace_common::process::{ProcessHandle, RemoteIoVec};
use logtrace_common::{NamedSymbol, ProgramFile};

/// Maximal length of a text in a server (`FN_REFLEN` in include/my_io.h).
const LONGEST_TEXT: usize = 512;

/// Bytes of a page: behind the end of any, there may be no memory.
const PAGE: usize = 4096;

/// Global variables of a process. The process is neither stopped nor changed.
#[derive(Debug)]
pub(crate) struct ProcessMemory {
    process: Arc<ProcessHandle>,
    /// Address in the process and size, by symbol.
    places: BTreeMap<String, (u64, u64)>,
}

impl ProcessMemory {
    /// Looks up the `symbols` that the program of a process has.
    pub(crate) fn find(process: &Arc<ProcessHandle>, symbols: &[&str]) -> io::Result<Self> {
        let program = ProgramFile::new(process.program()?)?;
        Ok(Self {
            process: Arc::clone(process),
            places: places(&program, start_of_code(process)?, symbols)?,
        })
    }

    /// Returns the text in a `char[]`, or `None` if it is empty or not plain text.
    pub(crate) fn text(&self, symbol: &str) -> Option<String> {
        let &(address, size) = self.places.get(symbol)?;
        self.text_at(address, usize::try_from(size).ok()?.min(LONGEST_TEXT))
    }

    /// Returns the text that a `char *` points to, or `None` if it is empty or not plain text.
    pub(crate) fn text_behind(&self, symbol: &str) -> Option<String> {
        let address = self.number(symbol).filter(|&address| address != 0)?;
        self.text_at(address, LONGEST_TEXT)
    }

    /// Returns an unsigned number of 1, 2, 4 or 8 bytes.
    pub(crate) fn number(&self, symbol: &str) -> Option<u64> {
        let &(address, size) = self.places.get(symbol)?;
        let size = usize::try_from(size)
            .ok()
            .filter(|size| [1, 2, 4, 8].contains(size))?;
        let mut bytes = [0; 8];
        let read = self.read(address, &mut bytes[..size]);
        (read == size).then(|| u64::from_le_bytes(bytes))
    }

    /// Returns the address range of a symbol.
    pub(crate) fn range(&self, symbol: &str) -> Option<Range<u64>> {
        let &(address, size) = self.places.get(symbol)?;
        Some(address..address.checked_add(size)?)
    }

    /// Returns the 64-bit words in the `at_most` bytes from `address` on. There are fewer if the memory ends before.
    pub(crate) fn words(&self, address: u64, at_most: usize) -> Vec<u64> {
        let mut bytes = vec![0; at_most];
        let read = self.read(address, &mut bytes);
        let (words, _) = bytes[..read].as_chunks();
        words.iter().map(|&word| u64::from_le_bytes(word)).collect()
    }

    fn text_at(&self, address: u64, at_most: usize) -> Option<String> {
        let mut bytes = vec![0; at_most];
        // Behind the text there may be no more memory.
        let read = self.read(address, &mut bytes);
        let end = bytes[..read].iter().position(|&byte| byte == 0)?;
        let text = String::from_utf8(bytes[..end].to_vec()).ok()?;
        (!text.is_empty() && !text.chars().any(char::is_control)).then_some(text)
    }

    /// Reads memory from `address` on and returns the number of bytes. There are fewer if the memory ends before.
    fn read(&self, address: u64, bytes: &mut [u8]) -> usize {
        let start = usize::try_from(address).unwrap_or(usize::MAX);
        // The kernel reads each part whole or not at all.
        let parts = parts_in_pages(start, bytes.len());
        self.process.read_memory(&parts, bytes)
    }
}

/// Returns the parts of a range of memory, each in one page.
fn parts_in_pages(start: usize, length: usize) -> Vec<RemoteIoVec> {
    let end = start.saturating_add(length);
    let starts = successors(Some(start), |&base| (base - base % PAGE).checked_add(PAGE));
    let part = |base: usize| RemoteIoVec {
        base,
        len: (PAGE - base % PAGE).min(end - base),
    };
    starts.take_while(|&base| base < end).map(part).collect()
}

/// Returns the address in the process and the size of each of the `symbols` that a program has. `start_of_code` is the
/// lowest address of its code in the process.
pub(crate) fn places(
    program: &ProgramFile,
    start_of_code: u64,
    symbols: &[&str],
) -> io::Result<BTreeMap<String, (u64, u64)>> {
    let in_file = program.start_of_code();
    let in_file = in_file.ok_or_else(|| io::Error::other("the program has no code"))?;
    let moved_by = start_of_code.wrapping_sub(in_file);
    let found = program.symbols_with(symbols)?.into_iter();
    let found = found.filter(|found| symbols.contains(&found.name.as_str()));
    let place = |NamedSymbol { name, symbol }| (name, (symbol.address.wrapping_add(moved_by), symbol.size));
    Ok(found.map(place).collect())
}

/// Returns the lowest address of the program's code (fs/binfmt_elf.c, `start_code`), which differs each time that the program
/// is loaded. `/proc/PID/stat` may be opened by all and has a small number there for those who may not know the address;
/// `/proc/PID/auxv` is its owner's alone.
fn start_of_code(process: &ProcessHandle) -> io::Result<u64> {
    Ok(process.entry().stat().map_err(io::Error::other)?.startcode)
}

#[cfg(test)]
mod tests {
    use procfs::process::{MMPermissions, Process};

    use super::*;

    // Symbols for the tests to find: the names are not mangled.
    #[expect(unsafe_code, reason = "a name that is not mangled may clash")]
    mod told {
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_TEXT: [u8; 8] = *b"9.7.4\0xy";
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_EMPTY: [u8; 4] = [0; 4];
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_BINARY: [u8; 4] = [27, b'[', b'm', 0];
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_ENDLESS: [u8; 4] = *b"abcd";
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_POINTER: &[u8; 12] = b"/var/binlog\0";
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_NULL: usize = 0;
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_FLAG: u8 = 1;
        #[unsafe(no_mangle)]
        pub(super) static LOGTRACE_NUMBER: u32 = 1_000;
    }

    fn globals() -> ProcessMemory {
        // They are there only if they are used.
        std::hint::black_box((
            &told::LOGTRACE_TEXT,
            &told::LOGTRACE_EMPTY,
            &told::LOGTRACE_BINARY,
            &told::LOGTRACE_ENDLESS,
            &told::LOGTRACE_POINTER,
            &told::LOGTRACE_NULL,
            &told::LOGTRACE_FLAG,
            &told::LOGTRACE_NUMBER,
        ));
        let names = [
            "TEXT", "EMPTY", "BINARY", "ENDLESS", "POINTER", "NULL", "FLAG", "NUMBER",
        ];
        let names = names.map(|name| format!("LOGTRACE_{name}"));
        ProcessMemory::find(
            &Arc::new(ProcessHandle::own().unwrap()),
            &names.each_ref().map(String::as_str),
        )
        .unwrap()
    }

    #[test]
    fn globals_of_this_process_are_read() {
        let globals = globals();
        assert_eq!(globals.text("LOGTRACE_TEXT").as_deref(), Some("9.7.4"));
        assert_eq!(
            globals.text_behind("LOGTRACE_POINTER").as_deref(),
            Some("/var/binlog")
        );
        assert_eq!(globals.number("LOGTRACE_FLAG"), Some(1));
        assert_eq!(globals.number("LOGTRACE_NUMBER"), Some(1_000));
    }

    #[test]
    fn the_memory_behind_a_symbol_is_read() {
        let globals = globals();
        let range = globals.range("LOGTRACE_POINTER").unwrap();
        assert_eq!(range.end - range.start, 8);
        let words = globals.words(range.start, 8);
        assert_eq!(words, [told::LOGTRACE_POINTER.as_ptr() as u64]);
        assert!(globals.range("NO_SUCH").is_none());
        assert!(globals.words(0, 8).is_empty());
    }

    #[test]
    fn memory_is_read_up_to_its_end() {
        let globals = globals();
        let maps = Process::myself().unwrap().maps().unwrap();
        let mut neighbours = maps.iter().zip(maps.iter().skip(1));
        // The guard of a stack, or nothing, is behind the memory.
        let last = neighbours.find(|(map, next)| {
            map.perms.contains(MMPermissions::READ)
                && (map.address.1 < next.address.0 || next.perms.is_empty())
        });
        let end = last.unwrap().0.address.1;
        assert_eq!(globals.words(end - 16, 4 * PAGE).len(), 2);
        assert!(globals.words(end, 8).is_empty());
    }

    #[test]
    fn a_range_of_memory_is_cut_where_pages_end() {
        let parts = |start, length| {
            let parts = parts_in_pages(start, length).into_iter();
            parts.map(|part| (part.base, part.len)).collect::<Vec<_>>()
        };
        assert_eq!(
            parts(PAGE - 1, PAGE + 2),
            [(PAGE - 1, 1), (PAGE, PAGE), (2 * PAGE, 1)]
        );
        assert_eq!(parts(7, 2), [(7, 2)]);
        assert_eq!(parts(usize::MAX - 1, 8), [(usize::MAX - 1, 1)]);
        assert!(parts(0, 0).is_empty());
    }

    #[test]
    fn what_is_no_text_is_none() {
        let globals = globals();
        for symbol in ["LOGTRACE_EMPTY", "LOGTRACE_BINARY", "LOGTRACE_ENDLESS", "NO_SUCH"] {
            assert_eq!(globals.text(symbol), None, "{symbol}");
        }
        assert_eq!(globals.text_behind("LOGTRACE_NULL"), None);
        // It points nowhere.
        assert_eq!(globals.text_behind("LOGTRACE_NUMBER"), None);
    }
}
