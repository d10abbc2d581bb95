//! Names of the kernel's functions by address.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// Functions of the kernel and its modules. There are 100,000: one text with all names takes a fraction of the memory of as
/// many texts.
#[derive(Debug, Default)]
pub(crate) struct KernelSymbols {
    names: String,
    /// Address of each function, and the start of its name; in the order of addresses.
    functions: Vec<(u64, u32)>,
}

impl KernelSymbols {
    /// Reads /proc/kallsyms. If it is not readable or hides the addresses, there are no names.
    pub(crate) fn read() -> Self {
        let file = File::open("/proc/kallsyms");
        let symbols = file.and_then(|file| Self::parse(BufReader::new(file)));
        symbols.unwrap_or_default()
    }

    /// Returns whether /proc/kallsyms gives addresses.
    pub(crate) fn are_readable() -> bool {
        let Ok(file) = File::open("/proc/kallsyms") else {
            return false;
        };
        let mut lines = BufReader::new(file).lines().map_while(Result::ok);
        lines.any(|line| function(&line).is_some())
    }

    /// Returns the name of the function with this address, with the suffixes that compiler and module add.
    pub(crate) fn name(&self, address: u64) -> Option<&str> {
        let after = self.functions.partition_point(|&(start, _)| start <= address);
        let &(_, name) = self.functions.get(after.checked_sub(1)?)?;
        self.names.get(usize::try_from(name).ok()?..)?.lines().next()
    }

    fn parse(mut lines: impl BufRead) -> io::Result<Self> {
        let mut symbols = Self::default();
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            let place = u32::try_from(symbols.names.len()).map_err(io::Error::other)?;
            if let Some((address, name)) = function(line.trim_end()) {
                symbols.functions.push((address, place));
                symbols.names.push_str(name);
                symbols.names.push('\n');
            }
            line.clear();
        }
        symbols.functions.sort_by_key(|&(address, _)| address);
        Ok(symbols)
    }
}

/// Name of the padding before a function (tools/objtool/elf.c, `elf_create_prefix_symbol()`): half of all names, on kernels that
/// have it. No call returns into it.
const PADDING: &str = "__pfx_";

/// Returns address and name of a function in a line of /proc/kallsyms; `None` for data, padding and a hidden address.
fn function(line: &str) -> Option<(u64, &str)> {
    let (address, rest) = line.split_once(' ')?;
    let (kind, name) = rest.split_once(' ')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let is_code = matches!(kind, "t" | "T" | "w" | "W") && !name.starts_with(PADDING);
    (address > 0 && is_code).then_some((address, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_reaches_to_the_next_one() {
        let text = "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\nffffffff81000040 t start.cold\n\
                    ffffffff81000050 d table\nffffffffc0000010 t xfs_sync\t[xfs]\nffffffff81000060 T late\n";
        let symbols = KernelSymbols::parse(text.as_bytes()).unwrap();
        let name = |address| symbols.name(address);
        assert_eq!(name(0xffff_ffff_80ff_ffff), None);
        assert_eq!(name(0xffff_ffff_8100_0000), Some("_text"));
        assert_eq!(name(0xffff_ffff_8100_005f), Some("start.cold"));
        assert_eq!(name(0xffff_ffff_8100_0060), Some("late"));
        assert_eq!(name(0xffff_ffff_c000_0020), Some("xfs_sync\t[xfs]"));
    }

    #[test]
    fn the_padding_of_functions_takes_no_memory() {
        let text = "ffffffff81000000 T _text\nffffffff81000030 t __pfx_start\nffffffff81000040 t start\n";
        let symbols = KernelSymbols::parse(text.as_bytes()).unwrap();
        assert_eq!(symbols.functions.len(), 2);
        assert_eq!(symbols.name(0xffff_ffff_8100_0044), Some("start"));
    }

    #[test]
    fn hidden_addresses_name_nothing() {
        let hidden = KernelSymbols::parse("0000000000000000 T _text\n".as_bytes()).unwrap();
        assert_eq!(hidden.name(0xffff_ffff_8100_0000), None);
    }
}
