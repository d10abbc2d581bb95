//! Code of a server: the ways to callers and the names of functions, read before anything is traced.

use logtrace_common::Detail;

use crate::stacks::function_names::FunctionNames;
use crate::stacks::mapped_files::{MappedFile, mapped_files};
use crate::stacks::tables::UnwindTables;
use crate::stacks::unwind_rows::RowsOf;

/// Code of a server's process.
#[derive(Debug, Default)]
pub(crate) struct ServerCode {
    /// Ways to callers.
    pub(crate) unwind: UnwindTables,
    /// Names of functions.
    pub(crate) names: FunctionNames,
}

impl ServerCode {
    /// Reads the files that a process has mapped, as far as this detail has stacks of the server. A file that cannot be
    /// read is left out.
    pub(crate) fn read(pid: u32, detail: Detail) -> Self {
        let mut code = Self::default();
        let Some(of) = rows_at(detail) else {
            return code;
        };
        for file in mapped_files(pid).unwrap_or_default() {
            code.add(&file, of);
        }
        code
    }

    fn add(&mut self, file: &MappedFile, of: RowsOf) -> Option<()> {
        let program = file.open().ok()?;
        let bias = file.bias(&program)?;
        self.unwind.add(file, &program, bias, of);
        self.names.add(file, program, bias);
        Some(())
    }
}

/// Returns the files with rows at this detail, or `None` without stacks of the server.
fn rows_at(detail: Detail) -> Option<RowsOf> {
    match detail {
        Detail::Commit => None,
        Detail::Io => Some(RowsOf::FilesWithoutFramePointers),
        Detail::Full => Some(RowsOf::AllFiles),
    }
}
