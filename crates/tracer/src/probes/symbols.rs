//! Functions of a server's program, found by their demangled names.

use cpp_demangle::{DemangleOptions, Symbol};
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::error::TracerError;

/// Program file with its symbols.
pub(crate) struct Program<'a> {
    elf: object::File<'a>,
    functions: Vec<Function<'a>>,
}

/// Function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    /// Mangled name.
    pub(crate) name: &'a str,
    /// Virtual address.
    pub(crate) address: u64,
    /// Length in bytes.
    pub(crate) size: u64,
}

impl<'a> Program<'a> {
    /// Reads the symbols of the program whose file holds `bytes`.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, TracerError> {
        let elf = object::File::parse(bytes).map_err(|error| {
            TracerError(format!(
                "cannot read the symbols of the server's program: {error}"
            ))
        })?;
        let functions = elf
            .symbols()
            .chain(elf.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter_map(|symbol| {
                Some(Function {
                    name: symbol.name().ok()?,
                    address: symbol.address(),
                    size: symbol.size(),
                })
            })
            .collect();
        Ok(Self { elf, functions })
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
        let mut found: Vec<Function<'a>> = self
            .functions
            .iter()
            .filter(|function| function.name == prefix || is_cpp(function.name, &encoded, prefix))
            .copied()
            .collect();
        found.sort_by_key(|function| function.address);
        found.dedup_by_key(|function| function.address);
        found
    }

    /// Returns the machine code of a function.
    pub(crate) fn code(&self, function: &Function<'_>) -> Option<&'a [u8]> {
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
            Some(start + inside)
        })
    }
}

fn is_cpp(name: &str, encoded: &str, prefix: &str) -> bool {
    name.contains(encoded)
        && !name.contains('.')
        && demangled(name).is_some_and(|demangled| demangled.starts_with(prefix))
}

fn demangled(name: &str) -> Option<String> {
    Symbol::new(name)
        .ok()?
        .demangle_with_options(&DemangleOptions::default())
        .ok()
}
