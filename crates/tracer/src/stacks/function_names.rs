//! Names of a server's functions, by their address in memory.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use cpp_demangle::DemangleOptions;
use logtrace_common::{ProgramFile, Symbol};

use crate::stacks::lock_calls::is_for_all_objects;
use crate::stacks::mapped_files::MappedFile;
use crate::stacks::nameless::{FunctionRanges, jumps_out};
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
    places: Vec<FunctionPlace>,
    /// Ranges of all functions, read for the first without a symbol.
    ranges: OnceLock<FunctionRanges>,
}

/// Place of a function and of its name.
#[derive(Clone, Copy, Debug)]
struct FunctionPlace {
    address: u32,
    size: u32,
    name_at: u32,
}

impl FunctionNames {
    pub(crate) fn add(&mut self, file: &MappedFile, program: ProgramFile, bias: u64) {
        let places = places(&program);
        let functions = Functions {
            program,
            bias,
            places,
            ranges: OnceLock::new(),
        };
        self.files.push((file.clone(), functions));
    }

    /// Returns the name of the function with this address, without its parameters. A part without a symbol has the name of
    /// the function that it belongs to, and a function without one the name of its file and its address: `mysqld+0x12ab34`.
    pub(crate) fn name(&self, address: u64) -> String {
        let Some((file, functions, inside)) = self.place(address) else {
            return format!("{address:#x}");
        };
        if let Some(name) = functions.name(inside) {
            return name;
        }
        let ranges = functions
            .ranges
            .get_or_init(|| FunctionRanges::read(&functions.program));
        let Some(range) = ranges.around(inside) else {
            return format!("{}+{inside:#x}", file.name);
        };
        let whole = functions.whole_of(&range);
        whole.unwrap_or_else(|| format!("{}+{:#x}", file.name, range.start))
    }

    /// Returns whether the call with this address in it takes the metadata lock of all objects.
    pub(crate) fn locks_all_objects(&self, address: u64) -> bool {
        let before = self.place(address).and_then(|(_, functions, inside)| {
            let (start, _) = functions.start(inside)?;
            let length = inside.checked_sub(start.into())?;
            let code = functions.program.code(start.into(), length)?;
            Some(is_for_all_objects(&code, start.into(), |address| {
                functions.name(address)
            }))
        });
        before.unwrap_or(false)
    }

    /// Returns the file around an address, and what the file calls it.
    fn place(&self, address: u64) -> Option<(&MappedFile, &Functions, u64)> {
        let mut files = self.files.iter();
        let (file, functions) = files.find(|(file, _)| (file.start..file.end).contains(&address))?;
        Some((file, functions, address.wrapping_sub(functions.bias)))
    }
}

/// Returns the names of all functions of a program that have one, without their parameters.
pub fn function_names(program: &Path) -> io::Result<BTreeSet<String>> {
    let program = ProgramFile::open(program)?;
    let names = places(&program)
        .into_iter()
        .filter_map(|place| program.name(place.name_at.into()));
    Ok(names.map(|name| short_name(&name)).collect())
}

/// Returns the places of a program's functions in the order of their addresses.
fn places(program: &ProgramFile) -> Vec<FunctionPlace> {
    let mut count = 0usize;
    program.for_each_symbol(|symbol| count = count.saturating_add(place(&symbol).iter().count()));
    // A list that grows would take twice the memory.
    let mut places = Vec::with_capacity(count);
    program.for_each_symbol(|symbol| places.extend(place(&symbol)));
    places.sort_unstable_by_key(|place| place.address);
    places
}

/// Returns the place of a symbol if it is a function with a size, below 4 GiB as the rows for its callers.
fn place(symbol: &Symbol) -> Option<FunctionPlace> {
    let is_sized = symbol.is_function && symbol.size > 0;
    is_sized.then(|| {
        Some(FunctionPlace {
            address: symbol.address.try_into().ok()?,
            size: u32::try_from(symbol.size).unwrap_or(u32::MAX),
            name_at: symbol.name_at.try_into().ok()?,
        })
    })?
}

impl Functions {
    /// Returns the name of the function that a part without a symbol belongs to: the part jumps into its middle, and it
    /// jumps to the part. A function that is not exported has no such partner.
    fn whole_of(&self, part: &Range<u64>) -> Option<String> {
        let wholes: BTreeSet<u64> = jumps_out(&self.program, part)
            .into_iter()
            .filter_map(|target| {
                let (start, _) = self.start(target)?;
                (u64::from(start) < target).then_some(start.into())
            })
            .collect();
        wholes.into_iter().find_map(|start| {
            let whole = self.ranges.get()?.around(start)?;
            let jumps = jumps_out(&self.program, &whole);
            let is_its = jumps.iter().any(|target| part.contains(target));
            is_its.then(|| self.name(start))?
        })
    }

    /// Returns the address of the last symbol before this address, and the number of symbols up to it.
    fn start(&self, address: u64) -> Option<(u32, usize)> {
        let address = u32::try_from(address).ok()?;
        let after = self.places.partition_point(|place| place.address <= address);
        Some((self.places.get(after.checked_sub(1)?)?.address, after))
    }

    /// Returns the name of the function around this address of the file, of several the first in the order of the alphabet.
    /// Functions without a symbol lie between the others: an address belongs only to a function whose end lies behind it.
    fn name(&self, address: u64) -> Option<String> {
        let (start, after) = self.start(address)?;
        let address = u32::try_from(address).ok()?;
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
        let place = |(address, name_at): (u32, u32)| FunctionPlace {
            address,
            size: 10,
            name_at,
        };
        let functions = Functions {
            bias: 0,
            places: [(100, two), (100, one), (120, two)].map(place).to_vec(),
            program,
            ranges: OnceLock::new(),
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
