//! Names of a server's functions, by their address in memory.

use std::ops::Range;

use cpp_demangle::DemangleOptions;

use crate::stacks::mapped_files::MappedFile;
use crate::symbols::{Function, demangled, functions};

/// Names of the functions of a process.
#[derive(Debug, Default)]
pub(crate) struct FunctionNames {
    files: Vec<(MappedFile, Symbols)>,
}

/// Functions of one file. A server has 200,000 of them: one text with all names takes a fraction of the memory and time
/// of as many texts.
#[derive(Debug, Default)]
struct Symbols {
    bias: u64,
    names: String,
    /// In the order of their addresses.
    functions: Vec<Place>,
}

/// Addresses of a function in its file, and its mangled name.
#[derive(Debug)]
struct Place {
    addresses: Range<u64>,
    name: Range<usize>,
}

impl FunctionNames {
    /// Adds the functions of a file.
    pub(crate) fn add(&mut self, file: &MappedFile, elf: &object::File<'_>, bias: u64) {
        self.files
            .push((file.clone(), Symbols::new(bias, functions(elf))));
    }

    /// Returns the name of the function with this address, without its parameters. A function without a symbol has the
    /// name of its file and an address: `mysqld+0x12ab34`.
    pub(crate) fn name(&self, address: u64) -> String {
        let found = self
            .files
            .iter()
            .find(|(file, _)| (file.start..file.end).contains(&address));
        let Some((file, symbols)) = found else {
            return format!("{address:#x}");
        };
        let inside = address.wrapping_sub(symbols.bias);
        let name = symbols.name(inside);
        name.unwrap_or_else(|| format!("{}+{inside:#x}", file.name))
    }
}

impl Symbols {
    fn new<'a>(bias: u64, functions: impl Iterator<Item = Function<'a>>) -> Self {
        let mut symbols = Self {
            bias,
            ..Self::default()
        };
        functions
            .filter(|function| function.size > 0)
            .for_each(|function| symbols.add(function));
        let Self { names, functions, .. } = &mut symbols;
        functions.sort_by_key(|place| (place.addresses.start, names.get(place.name.clone())));
        functions.dedup_by_key(|place| place.addresses.start);
        symbols
    }

    fn add(&mut self, function: Function<'_>) {
        let start = self.names.len();
        self.names.push_str(function.name);
        self.functions.push(Place {
            addresses: function.address..function.address.saturating_add(function.size),
            name: start..self.names.len(),
        });
    }

    /// Returns the name of the function around this address of the file. Functions without a symbol lie between the
    /// others: an address belongs only to a function whose end lies behind it.
    fn name(&self, address: u64) -> Option<String> {
        let after = self
            .functions
            .partition_point(|place| place.addresses.start <= address);
        let place = self.functions.get(after.checked_sub(1)?)?;
        let name = self.names.get(place.name.clone())?;
        place.addresses.contains(&address).then(|| short_name(name))
    }
}

/// Returns the name as in the source, without parameters, return type and version.
fn short_name(name: &str) -> String {
    let plain = name.split(['@', '.']).next().unwrap_or(name);
    let options = DemangleOptions::new().no_params().no_return_type();
    demangled(plain, &options).unwrap_or_else(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_parameters_and_no_version() {
        assert_eq!(
            short_name("_Z39log_buffer_wait_for_ready_for_write_lsnR5log_tmPj"),
            "log_buffer_wait_for_ready_for_write_lsn"
        );
        assert_eq!(
            short_name("_ZN20Commit_stage_manager10enroll_forENS_7StageIDEP3THDP10mysql_mutexS4_"),
            "Commit_stage_manager::enroll_for"
        );
        assert_eq!(short_name("pthread_cond_wait@@GLIBC_2.3.2"), "pthread_cond_wait");
    }

    #[test]
    fn an_address_behind_the_end_of_a_function_has_no_name() {
        let function = |(address, name)| Function {
            address,
            size: 10,
            name,
        };
        let symbols = Symbols::new(0, [(120, "two"), (100, "one")].into_iter().map(function));
        let names = [99, 100, 109, 110, 120].map(|address| symbols.name(address));
        assert_eq!(
            names.each_ref().map(Option::as_deref),
            [None, Some("one"), Some("one"), None, Some("two")]
        );
    }
}
