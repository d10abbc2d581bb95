//! Code of a server: the ways to callers and the names of functions, read before anything is traced.

use logtrace_common::process::ProcessHandle;
use logtrace_common::{Detail, ProgramFile};
use procfs::process::MemoryMap;

use crate::stacks::function_names::FunctionNames;
use crate::stacks::mapped_files::mapped_file;
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
    pub(crate) fn read(process: &ProcessHandle, detail: Detail) -> Self {
        let mut code = Self::default();
        let Some(of) = rows_at(detail) else {
            return code;
        };
        for map in process.entry().maps().into_iter().flatten() {
            code.add(process, &map, of);
        }
        code
    }

    fn add(&mut self, process: &ProcessHandle, map: &MemoryMap, of: RowsOf) -> Option<()> {
        let file = &mapped_file(map)?;
        let program = ProgramFile::new(process.open_mapped(map).ok()?).ok()?;
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
