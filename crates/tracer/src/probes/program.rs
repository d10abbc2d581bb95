//! Program of a server: its functions by demangled name, and their code.

use cpp_demangle::DemangleOptions;
use memchr::memmem;
use object::{Object, ObjectSegment};

use crate::error::TracerError;
use crate::symbols::{Function, demangled, functions};

/// Program file with its symbols.
pub(crate) struct Program<'a> {
    elf: object::File<'a>,
    functions: Vec<Function<'a>>,
    /// Names of all functions, one a line: one search through it is many times faster than one in each name.
    names: String,
    /// Start of the line of each function.
    lines: Vec<usize>,
}

impl<'a> Program<'a> {
    /// Reads the symbols of the program whose file holds `bytes`.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, TracerError> {
        let elf = object::File::parse(bytes).map_err(|error| {
            TracerError(format!(
                "cannot read the symbols of the server's program: {error}"
            ))
        })?;
        let functions: Vec<Function<'a>> = functions(&elf).collect();
        let mut names = String::new();
        let lines = functions
            .iter()
            .map(|function| add_line(&mut names, function.name));
        let lines = lines.collect();
        Ok(Self {
            elf,
            functions,
            names,
            lines,
        })
    }

    /// Returns the functions with a demangled name that starts with `prefix`, or with the plain C name `prefix`. Each
    /// address comes once. Clones that the compiler split off (`.cold`, `.part.0`) are left out.
    pub(crate) fn functions(&self, prefix: &str) -> Vec<Function<'a>> {
        // The plain name stands in the mangled one with its length before it: a cheap test before demangling.
        let plain = prefix
            .split('(')
            .next()
            .and_then(|path| path.rsplit("::").next())
            .unwrap_or(prefix);
        let encoded = format!("{}{plain}", plain.len());
        let mut found: Vec<Function<'a>> = memmem::find_iter(self.names.as_bytes(), plain)
            .filter_map(|at| {
                let after = self.lines.partition_point(|&line| line <= at);
                self.functions.get(after.checked_sub(1)?).copied()
            })
            .filter(|function| function.name == prefix || is_cpp(function.name, &encoded, prefix))
            .collect();
        found.sort_by_key(|function| function.address);
        found.dedup_by_key(|function| function.address);
        found
    }

    /// Returns whether a function starts at this address. Parts of functions that lie elsewhere are none.
    pub(crate) fn is_function(&self, address: u64) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|function| function.address == address && !function.name.contains('.'))
    }

    /// Returns the machine code of a function.
    pub(crate) fn code(&self, function: Function<'_>) -> Option<&'a [u8]> {
        self.elf.segments().find_map(|segment| {
            segment
                .data_range(function.address, function.size)
                .ok()
                .flatten()
                .filter(|code| !code.is_empty())
        })
    }

    /// Returns the offset in the file of a virtual address.
    pub(crate) fn file_offset(&self, address: u64) -> Option<u64> {
        self.elf.segments().find_map(|segment| {
            let (start, length) = segment.file_range();
            let inside = address
                .checked_sub(segment.address())
                .filter(|&inside| inside < length)?;
            // A damaged file can have any start.
            start.checked_add(inside)
        })
    }
}

/// Adds a line to a text and returns its start.
fn add_line(text: &mut String, line: &str) -> usize {
    let start = text.len();
    text.push_str(line);
    text.push('\n');
    start
}

fn is_cpp(name: &str, encoded: &str, prefix: &str) -> bool {
    name.contains(encoded)
        && !name.contains('.')
        && demangled(name, &DemangleOptions::default()).is_some_and(|demangled| demangled.starts_with(prefix))
}
