//! Tables with which the kernel side finds its way through the stacks of a server.

use aya::Pod;
use logtrace_common::ProgramFile;

use crate::error::TracerError;
use crate::kernel_side::KernelSide;
use crate::kernel_side::filling::set_first;
use crate::kernel_side::reasons::reason;
use crate::stacks::mapped_files::MappedFile;
use crate::stacks::unwind_rows::{RowsOf, UnwindRow, unwind_rows};

/// `MODULES` of bpf/server_stack.h.
const MODULES: usize = 32;
/// `MOST_ROWS_LOG2` there.
const MOST_ROWS: usize = 1 << 20;

/// `struct module` there: start, end, bias; index of the first row, and number of rows in the upper half.
pub(crate) type ModuleWords = [u64; 4];
/// `struct unwind_row` there: address, base, and the two distances.
pub(crate) type RowWords = [u32; 4];

/// Modules of a process with the rows of those that keep no frame pointers.
#[derive(Debug, Default)]
pub(crate) struct UnwindTables {
    modules: Vec<ModuleWords>,
    rows: Vec<UnwindRow>,
}

impl UnwindTables {
    /// Adds a file. One that does not fit in is left out: a stack ends there.
    pub(crate) fn add(&mut self, file: &MappedFile, program: &ProgramFile, bias: u64, of: RowsOf) {
        let rows = unwind_rows(program, of);
        if self.modules.len() < MODULES && self.rows.len() + rows.len() <= MOST_ROWS {
            let (first_row, row_count) = (self.rows.len() as u64, rows.len() as u64);
            self.modules
                .push([file.start, file.end, bias, first_row | row_count << 32]);
            self.rows.extend(rows);
        }
    }

    /// Returns the number of rows of the table, at least one.
    pub(crate) fn row_count(&self) -> u32 {
        u32::try_from(self.rows.len()).map_or(u32::MAX, |rows| rows.max(1))
    }

    /// Fills the maps of the kernel side.
    pub(crate) fn fill(&self, side: &mut KernelSide) -> Result<(), TracerError> {
        fill(side, "unwind_rows", self.rows.iter().map(row_words))?;
        fill(side, "modules", self.modules.iter().copied())
    }
}

/// Sets the first values of a map, which stays with its programs.
fn fill<T: Pod>(
    side: &mut KernelSide,
    name: &str,
    values: impl Iterator<Item = T>,
) -> Result<(), TracerError> {
    let map = side.take_map(name)?;
    set_first(&map, values)
        .map_err(|error| TracerError::load(format_args!("filling the map {name}: {}", reason(&error))))
}

fn row_words(row: &UnwindRow) -> RowWords {
    let [end_offset, pointer_offset] = [row.end_offset, row.pointer_offset].map(i32::cast_unsigned);
    [row.address, row.base as u32, end_offset, pointer_offset]
}
