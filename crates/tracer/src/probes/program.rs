//! Program of a server: its functions by demangled name, and their code.

use std::collections::BTreeSet;

use cpp_demangle::DemangleOptions;
use logtrace_common::{NamedSymbol, ProgramFile};

use crate::error::TracerError;
use crate::symbols::{ProgramFunction, demangled};

/// Suffixes of functions that link-time optimisation only renamed: GCC's and LLVM's.
const RENAMED: [&str; 2] = ["lto_priv.", "llvm."];

/// Suffixes of GCC's clones whose arguments may have changed (gcc/ipa-cp.cc, gcc/ipa-param-manipulation.cc).
const OTHER_ARGUMENTS: [&str; 2] = ["constprop.", "isra."];

/// Program file with those of its functions that were asked for.
pub(crate) struct ProbedProgram {
    file: ProgramFile,
    /// Functions, parts and clones whose names have one of the texts that were searched for.
    functions: Vec<NamedSymbol>,
}

impl ProbedProgram {
    /// Reads the functions of a program. `prefixes` are those of the demangled names that are asked for later.
    pub(crate) fn read(
        file: ProgramFile,
        prefixes: impl IntoIterator<Item = &'static str>,
    ) -> Result<Self, TracerError> {
        let texts: BTreeSet<&str> = prefixes.into_iter().map(plain).collect();
        let texts: Vec<&str> = texts.into_iter().collect();
        let symbols = file.symbols_with(&texts).map_err(TracerError::unreadable)?;
        Ok(Self {
            file,
            functions: symbols
                .into_iter()
                .filter(|found| found.symbol.is_function)
                .collect(),
        })
    }

    /// Returns the functions with a demangled name that starts with `prefix`, or with the plain C name `prefix`. Each
    /// address comes once. Parts and clones with other arguments are left out.
    pub(crate) fn functions(&self, prefix: &str) -> Vec<ProgramFunction<'_>> {
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
    pub(crate) fn functions_and_clones(&self, prefix: &str) -> Vec<ProgramFunction<'_>> {
        // The plain name stands in the mangled one with its length before it: a cheap test before demangling.
        let plain = plain(prefix);
        let encoded = format!("{}{plain}", plain.len());
        let named = self
            .functions
            .iter()
            .filter(|found| is_named(&found.name, &encoded, prefix));
        let mut functions: Vec<ProgramFunction<'_>> = named.map(function).collect();
        functions.sort_by_key(|function| function.address);
        functions.dedup_by_key(|function| function.address);
        functions
    }

    /// Returns those of these addresses at which a function starts. Parts of functions that lie elsewhere are none.
    pub(crate) fn starts_of_functions(&self, addresses: &BTreeSet<u64>) -> BTreeSet<u64> {
        let mut starts = BTreeSet::new();
        self.file.for_each_symbol(|symbol| {
            let is_one = || {
                self.file
                    .name(symbol.name_at)
                    .is_some_and(|name| !name.contains('.'))
            };
            if symbol.is_function && addresses.contains(&symbol.address) && is_one() {
                starts.insert(symbol.address);
            }
        });
        starts
    }

    /// Returns the machine code of a function.
    pub(crate) fn code(&self, function: ProgramFunction<'_>) -> Option<Vec<u8>> {
        let code = self.file.code(function.address, function.size);
        code.filter(|code| !code.is_empty())
    }

    /// Returns the offset in the file of a virtual address.
    pub(crate) fn file_offset(&self, address: u64) -> Option<u64> {
        self.file.file_offset(address)
    }
}

fn function(found: &NamedSymbol) -> ProgramFunction<'_> {
    ProgramFunction {
        name: &found.name,
        address: found.symbol.address,
        size: found.symbol.size,
    }
}

/// Returns the name without class and parameters, which is a part of the mangled name, too.
fn plain(prefix: &str) -> &str {
    let path = prefix.split('(').next().unwrap_or(prefix);
    path.rsplit("::").next().unwrap_or(path)
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
