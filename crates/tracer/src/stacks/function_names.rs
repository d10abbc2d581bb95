//! Names of a server's functions, by their address in memory.

use cpp_demangle::DemangleOptions;
use logtrace_common::{ProgramFile, Symbol};

use crate::stacks::mapped_files::MappedFile;
use crate::symbols::demangled;

/// Names of the functions of a process.
#[derive(Debug, Default)]
pub(crate) struct FunctionNames {
    files: Vec<(MappedFile, Functions)>,
}

/// Functions of one file. A server has 300,000 of them, and its stacks some hundred: names are read when they are wanted.
#[derive(Debug)]
struct Functions {
    program: ProgramFile,
    bias: u64,
    /// In the order of their addresses. Some have several names.
    places: Vec<Place>,
}

/// Place of a function and of its name.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u32,
    size: u32,
    name_at: u32,
}

impl FunctionNames {
    /// Adds the functions of a file.
    pub(crate) fn add(&mut self, file: &MappedFile, program: ProgramFile, bias: u64) {
        let places = places(&program);
        let functions = Functions {
            program,
            bias,
            places,
        };
        self.files.push((file.clone(), functions));
    }

    /// Returns the name of the function with this address, without its parameters. A function without a symbol has the
    /// name of its file and an address: `mysqld+0x12ab34`.
    pub(crate) fn name(&self, address: u64) -> String {
        let found = self
            .files
            .iter()
            .find(|(file, _)| (file.start..file.end).contains(&address));
        let Some((file, functions)) = found else {
            return format!("{address:#x}");
        };
        let inside = address.wrapping_sub(functions.bias);
        let name = functions.name(inside);
        name.unwrap_or_else(|| format!("{}+{inside:#x}", file.name))
    }
}

/// Returns the places of a program's functions in the order of their addresses.
fn places(program: &ProgramFile) -> Vec<Place> {
    let mut count = 0usize;
    program.for_each_symbol(|symbol| count = count.saturating_add(place(&symbol).iter().count()));
    // A list that grows would take twice the memory.
    let mut places = Vec::with_capacity(count);
    program.for_each_symbol(|symbol| places.extend(place(&symbol)));
    places.sort_unstable_by_key(|place| place.address);
    places
}

/// Returns the place of a symbol if it is a function with a size, below 4 GiB as the rows for its callers.
fn place(symbol: &Symbol) -> Option<Place> {
    let is_sized = symbol.is_function && symbol.size > 0;
    is_sized.then(|| {
        Some(Place {
            address: symbol.address.try_into().ok()?,
            size: u32::try_from(symbol.size).unwrap_or(u32::MAX),
            name_at: symbol.name_at.try_into().ok()?,
        })
    })?
}

impl Functions {
    /// Returns the name of the function around this address of the file, of several the first in the order of the alphabet.
    /// Functions without a symbol lie between the others: an address belongs only to a function whose end lies behind it.
    fn name(&self, address: u64) -> Option<String> {
        let address = u32::try_from(address).ok()?;
        let after = self.places.partition_point(|place| place.address <= address);
        let start = self.places.get(after.checked_sub(1)?)?.address;
        let first = self.places.partition_point(|place| place.address < start);
        let around = self.places.get(first..after)?.iter();
        let around = around.filter(|place| address.wrapping_sub(start) < place.size);
        let names = around.filter_map(|place| self.program.name(place.name_at.into()));
        names.min().map(|name| short_name(&name))
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
        let program = ProgramFile::open(&std::env::current_exe().unwrap()).unwrap();
        let named = |start| {
            let symbols = program.symbols_with(&[start]).unwrap();
            let found = symbols.into_iter().find(|found| found.name.starts_with(start));
            found.unwrap().symbol.name_at.try_into().unwrap()
        };
        let [one, two] = ["_start", "main"].map(named);
        let place = |(address, name_at): (u32, u32)| Place {
            address,
            size: 10,
            name_at,
        };
        let functions = Functions {
            bias: 0,
            places: [(100, two), (100, one), (120, two)].map(place).to_vec(),
            program,
        };
        let names = [99, 100, 109, 110, 120].map(|address| functions.name(address).is_some());
        assert_eq!(names, [false, true, true, false, true]);
        assert_eq!(functions.name(120).as_deref(), Some("main"));
        assert_ne!(
            functions.name(100),
            functions.name(120),
            "the first in the alphabet"
        );
    }
}
