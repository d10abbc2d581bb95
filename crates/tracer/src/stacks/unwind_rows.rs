//! Rows that say where a caller's registers are, from the call frame information of a file (`.eh_frame`).

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, LittleEndian, RegisterRule, UnwindContext, UnwindSection,
    UnwindTableRow, X86_64,
};
use logtrace_common::ProgramFile;

/// Row for the code from an address of the file on: `struct unwind_row` of bpf/server_stack.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnwindRow {
    /// Address in the file.
    pub(crate) address: u32,
    /// Register that the end of the frame is counted from.
    pub(crate) base: Base,
    /// Distance of the frame's end from that register.
    pub(crate) end_offset: i32,
    /// Place of the caller's frame pointer, counted from the frame's end; 0 if it is still in its register.
    pub(crate) pointer_offset: i32,
}

/// Register that the end of a frame is counted from: `enum frame_base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// None, or one that the kernel side does not follow.
    Unknown,
    /// Stack pointer.
    StackPointer,
    /// Frame pointer.
    FramePointer,
}

/// Number of functions that decide whether a file keeps frame pointers.
const SAMPLE: usize = 2000;

/// Files for which there are rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsOf {
    /// Files whose functions keep no frame pointers. That is enough for a thread in a system call: only libc's innermost
    /// function may keep none.
    FilesWithoutFramePointers,
    /// All files: a thread that is interrupted may be in a function that has no frame yet, or never has one.
    AllFiles,
}

/// Returns the rows of a file in the order of their addresses; none if there need not be any.
pub(crate) fn unwind_rows(program: &ProgramFile, of: RowsOf) -> Vec<UnwindRow> {
    let Some((address, bytes)) = program.section(".eh_frame") else {
        return Vec::new();
    };
    let frames = EhFrame::new(&bytes, LittleEndian);
    let text = program.section_address(".text").unwrap_or(0);
    let bases = BaseAddresses::default().set_eh_frame(address).set_text(text);
    if of == RowsOf::FilesWithoutFramePointers && keeps_frame_pointers(&frames, &bases) {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for_each_function(&frames, &bases, usize::MAX, |function| {
        rows.extend_from_slice(function);
    });
    rows.sort_by_key(|row| row.address);
    rows.dedup_by(|next, row| {
        // A function may begin where the one before it ended.
        let meets = next.address == row.address && row.base == Base::Unknown;
        if meets {
            *row = *next;
        }
        meets
            || (next.base, next.end_offset, next.pointer_offset)
                == (row.base, row.end_offset, row.pointer_offset)
    });
    rows
}

type EhFrames<'a> = EhFrame<gimli::EndianSlice<'a, LittleEndian>>;

/// Returns whether most of the first functions count from the frame pointer.
fn keeps_frame_pointers(frames: &EhFrames<'_>, bases: &BaseAddresses) -> bool {
    let (mut all, mut with_pointer) = (0, 0);
    for_each_function(frames, bases, SAMPLE, |rows| {
        all += 1;
        with_pointer += usize::from(rows.iter().any(|row| row.base == Base::FramePointer));
    });
    2 * with_pointer > all
}

/// Passes the rows of the first functions to `visit`, with one at the end that knows nothing.
fn for_each_function(
    frames: &EhFrames<'_>,
    bases: &BaseAddresses,
    most: usize,
    mut visit: impl FnMut(&[UnwindRow]),
) {
    let mut context = UnwindContext::new();
    let mut entries = frames.entries(bases);
    let mut functions = 0;
    while let Ok(Some(entry)) = entries.next()
        && functions < most
    {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(function) = partial.parse(|_, bases, offset| frames.cie_from_offset(bases, offset)) else {
            continue;
        };
        let Ok(mut table) = function.rows(frames, bases, &mut context) else {
            continue;
        };
        let mut rows = Vec::new();
        while let Ok(Some(row)) = table.next_row() {
            rows.extend(unwind_row(row));
        }
        rows.extend(unknown(function.end_address()));
        functions += 1;
        visit(&rows);
    }
}

fn unwind_row(row: &UnwindTableRow<usize>) -> Option<UnwindRow> {
    let address = u32::try_from(row.start_address()).ok()?;
    let (base, end_offset) = match *row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => (base(register), i32::try_from(offset).ok()?),
        CfaRule::Expression(_) => (Base::Unknown, 0),
    };
    let pointer_offset = match row.register(X86_64::RBP) {
        Some(RegisterRule::Offset(offset)) => i32::try_from(offset).ok()?,
        _ => 0,
    };
    Some(UnwindRow {
        address,
        base,
        end_offset,
        pointer_offset,
    })
}

fn base(register: gimli::Register) -> Base {
    match register {
        X86_64::RSP => Base::StackPointer,
        X86_64::RBP => Base::FramePointer,
        _ => Base::Unknown,
    }
}

/// Returns a row for code without information.
fn unknown(address: u64) -> Option<UnwindRow> {
    Some(UnwindRow {
        address: u32::try_from(address).ok()?,
        base: Base::Unknown,
        end_offset: 0,
        pointer_offset: 0,
    })
}
