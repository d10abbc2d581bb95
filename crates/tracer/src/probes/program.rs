//! Program of a server: its functions by demangled name, and their code.

use cpp_demangle::DemangleOptions;
use memchr::memmem;
use object::{Object, ObjectSegment};

use crate::error::TracerError;
use crate::symbols::{Function, demangled, functions};

/// Suffixes of functions that link-time optimisation only renamed: GCC's and LLVM's.
const RENAMED: [&str; 2] = ["lto_priv.", "llvm."];

/// Suffixes of GCC's clones whose arguments may have changed (gcc/ipa-cp.cc, gcc/ipa-param-manipulation.cc).
const OTHER_ARGUMENTS: [&str; 2] = ["constprop.", "isra."];

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
    /// address comes once. Parts and clones with other arguments are left out.
    pub(crate) fn functions(&self, prefix: &str) -> Vec<Function<'a>> {
        let mut functions = self.functions_and_clones(prefix);
        functions.retain(|function| match clone_of(function.name) {
            None => true,
            Some(clone) => {
                RENAMED.iter().any(|renamed| clone.starts_with(renamed)) && !clone.contains(".cold")
            }
        });
        functions
    }

    /// Returns whether the compiler made a clone of a function that may have other arguments.
    pub(crate) fn has_other_arguments(&self, prefix: &str) -> bool {
        let functions = self.functions_and_clones(prefix);
        let mut clones = functions.iter().filter_map(|function| clone_of(function.name));
        clones.any(|clone| OTHER_ARGUMENTS.iter().any(|kind| clone.contains(kind)))
    }

    /// Returns the functions with a name as for [`Self::functions`], and all parts and clones that the compiler made of
    /// them.
    pub(crate) fn functions_and_clones(&self, prefix: &str) -> Vec<Function<'a>> {
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
            .filter(|function| is_named(function.name, &encoded, prefix))
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

/// Returns the suffix with which a compiler marks a clone or part of a function, without its dot.
fn clone_of(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, clone)| clone)
}

fn is_named(name: &str, encoded: &str, prefix: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let is_cpp = || {
        let demangled = demangled(stem, &DemangleOptions::default());
        demangled.is_some_and(|demangled| demangled.starts_with(prefix))
    };
    stem == prefix || (stem.contains(encoded) && is_cpp())
}
