//! Names of a server's functions, by their address in memory.

use cpp_demangle::DemangleOptions;

use crate::stacks::mapped_files::{MappedFile, mapped_files};
use crate::symbols::{Function, demangled, functions};

/// Names of the functions of a process. Each file is read when one of its functions is named for the first time.
pub(crate) struct FunctionNames {
    files: Vec<(MappedFile, Option<Symbols>)>,
}

/// Functions of one file.
#[derive(Debug, Default)]
struct Symbols {
    bias: u64,
    /// In the order of their addresses.
    functions: Vec<Function>,
}

impl FunctionNames {
    /// Notes the files that a process has mapped.
    pub(crate) fn of_process(pid: u32) -> Self {
        let files = mapped_files(pid).unwrap_or_default();
        Self {
            files: files.into_iter().map(|file| (file, None)).collect(),
        }
    }

    /// Returns the name of the function with this address, without its parameters. A function without a symbol has the
    /// name of its file and an address: `mysqld+0x12ab34`.
    pub(crate) fn name(&mut self, address: u64) -> String {
        let found = self
            .files
            .iter_mut()
            .find(|(file, _)| (file.start..file.end).contains(&address));
        let Some((file, symbols)) = found else {
            return format!("{address:#x}");
        };
        let symbols = symbols.get_or_insert_with(|| Symbols::read(file).unwrap_or_default());
        let inside = address.wrapping_sub(symbols.bias);
        let name = symbols.name(inside);
        name.unwrap_or_else(|| format!("{}+{inside:#x}", file.name))
    }
}

impl Symbols {
    fn read(file: &MappedFile) -> Option<Self> {
        let bytes = file.read().ok()?;
        let elf = object::File::parse(bytes.as_slice()).ok()?;
        let mut functions = functions(&elf);
        functions.retain(|function| function.size > 0);
        functions.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        functions.dedup_by_key(|function| function.address);
        Some(Self {
            bias: file.bias(&elf)?,
            functions,
        })
    }

    /// Returns the name of the function around this address of the file. Functions without a symbol lie between the
    /// others: an address belongs only to a function whose end lies behind it.
    fn name(&self, address: u64) -> Option<String> {
        let after = self
            .functions
            .partition_point(|function| function.address <= address);
        let function = &self.functions[after.checked_sub(1)?];
        (address - function.address < function.size).then(|| short_name(&function.name))
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
        let function = |address, name: &str| Function {
            address,
            size: 10,
            name: name.to_owned(),
        };
        let symbols = Symbols {
            bias: 0,
            functions: vec![function(100, "one"), function(120, "two")],
        };
        let names = [99, 100, 109, 110, 120].map(|address| symbols.name(address));
        assert_eq!(
            names.each_ref().map(Option::as_deref),
            [None, Some("one"), Some("one"), None, Some("two")]
        );
    }
}
