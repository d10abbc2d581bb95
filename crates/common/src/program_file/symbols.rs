//! Symbols of a program.

use std::os::unix::fs::FileExt;

use object::LittleEndian;
use object::elf::{SHN_XINDEX, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT, Sym64};
use object::pod::bytes_of_slice_mut;

use crate::program_file::file::ProgramFile;
use crate::program_file::headers::Section;

/// Symbols that are read at once.
const BLOCK: usize = 4096;

/// Most bytes of a table that is read. The largest of MySQL has a fifteenth of it.
const MOST_BYTES: u64 = 128 << 20;

/// Function or variable that a program defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Virtual address.
    pub address: u64,
    /// Length in bytes.
    pub size: u64,
    /// Whether it is a function.
    pub is_function: bool,
    /// Place of its name in the file.
    pub name_at: u64,
}

impl ProgramFile {
    /// Passes each symbol that the program defines to `visit`. Those in both of its tables come twice.
    pub fn for_each_symbol(&self, mut visit: impl FnMut(Symbol)) {
        for table in self.tables() {
            self.for_each_of(table, &mut visit);
        }
    }

    pub(crate) fn for_each_of(&self, table: &Section, mut visit: impl FnMut(Symbol)) {
        if table.size > MOST_BYTES {
            return;
        }
        let mut block = vec![Sym64::<LittleEndian>::default(); BLOCK];
        let mut at = table.offset;
        let end = table.offset.saturating_add(table.size);
        while at < end {
            let left = usize::try_from(end - at).unwrap_or(usize::MAX);
            let bytes = bytes_of_slice_mut(&mut block);
            let length = bytes.len().min(left);
            let read = self.file.read_at(&mut bytes[..length], at).unwrap_or(0);
            let count = read / size_of::<Sym64<LittleEndian>>();
            if count == 0 {
                return;
            }
            let symbols = block[..count].iter();
            symbols
                .filter_map(|symbol| defined(symbol, table))
                .for_each(&mut visit);
            at += (count * size_of::<Sym64<LittleEndian>>()) as u64;
        }
    }
}

/// Returns a symbol that the program defines; those of other files and of the compiler are left out.
fn defined(symbol: &Sym64<LittleEndian>, table: &Section) -> Option<Symbol> {
    let section = symbol.st_shndx.get(LittleEndian);
    let is_here = !section.is_special() || section == SHN_XINDEX;
    let is_function = [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_type());
    let is_variable = [STT_OBJECT, STT_NOTYPE].contains(&symbol.st_type());
    let name = u64::from(symbol.st_name.get(LittleEndian));
    (is_here && (is_function || is_variable)).then(|| {
        Some(Symbol {
            address: symbol.st_value.get(LittleEndian),
            size: symbol.st_size.get(LittleEndian),
            is_function,
            name_at: table.names.start.checked_add(name)?,
        })
    })?
}

#[cfg(test)]
mod tests {
    use std::fs;

    use object::{Object, ObjectSymbol, SymbolKind};

    use super::*;

    #[test]
    fn the_functions_are_those_of_the_whole_file() {
        let own = std::env::current_exe().unwrap();
        let bytes = fs::read(&own).unwrap();
        let whole = object::File::parse(&*bytes).unwrap();
        let symbols = whole.symbols().chain(whole.dynamic_symbols());
        let functions = symbols.filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text);
        let expected: Vec<_> = functions
            .map(|symbol| (symbol.address(), symbol.size(), symbol.name().unwrap().to_owned()))
            .collect();
        let program = ProgramFile::open(&own).unwrap();
        let mut read = Vec::new();
        program.for_each_symbol(|symbol| {
            if symbol.is_function {
                read.push((symbol.address, symbol.size, program.name(symbol.name_at).unwrap()));
            }
        });
        assert!(read.len() > 1_000 && read == expected);
    }
}
