//! Functions of a program or library, and their names as in the source.

use cpp_demangle::{DemangleOptions, Symbol};
use object::{Object, ObjectSymbol, SymbolKind};

/// Function of a program or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    /// Mangled name.
    pub(crate) name: &'a str,
    /// Virtual address.
    pub(crate) address: u64,
    /// Length in bytes.
    pub(crate) size: u64,
}

/// Returns the functions of a file. Those in both of its tables of symbols come twice.
pub(crate) fn functions<'a>(elf: &object::File<'a>) -> impl Iterator<Item = Function<'a>> {
    elf.symbols()
        .chain(elf.dynamic_symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
        .filter_map(|symbol| {
            Some(Function {
                name: symbol.name().ok()?,
                address: symbol.address(),
                size: symbol.size(),
            })
        })
}

/// Returns the name in the source of a mangled C++ name.
pub(crate) fn demangled(name: &str, options: &DemangleOptions) -> Option<String> {
    Symbol::new(name).ok()?.demangle_with_options(options).ok()
}
