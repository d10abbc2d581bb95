//! Functions without a symbol: cold parts of functions that have one, and functions that a program does not export.
//!
//! A compiler moves the parts of a function that seldom run to another place, such as MariaDB's branches for its
//! Performance Schema. They have call frame information of their own, and no symbol in a program without debugging
//! information. What tells whose part it is are its jumps back into the middle of the function; calls of other functions
//! lead to their beginnings.

use std::ops::Range;

use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};
use iced_x86::{Decoder, DecoderOptions, FlowControl};
use logtrace_common::ProgramFile;

/// Longest code that is searched for jumps, in bytes. Cold parts of the servers have hundreds.
const LONGEST: u64 = 1 << 16;

/// Ranges of the functions and parts of functions of a program, in the order of their addresses, below 4 GiB.
#[derive(Debug, Default)]
pub(crate) struct FunctionRanges(Vec<(u32, u32)>);

impl FunctionRanges {
    /// Reads the ranges from the call frame information (`.eh_frame`); none without it.
    pub(crate) fn read(program: &ProgramFile) -> Self {
        let Some((address, bytes)) = program.section(".eh_frame") else {
            return Self::default();
        };
        let frames = EhFrame::new(&bytes, LittleEndian);
        let text = program.section_address(".text").unwrap_or(0);
        let bases = BaseAddresses::default().set_eh_frame(address).set_text(text);
        let mut ranges = Vec::new();
        let mut entries = frames.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let function = partial.parse(|_, bases, offset| frames.cie_from_offset(bases, offset));
            let Ok(function) = function else { continue };
            let ends = [function.initial_address(), function.end_address()].map(u32::try_from);
            if let [Ok(start), Ok(end)] = ends {
                ranges.push((start, end));
            }
        }
        ranges.sort_unstable();
        ranges.shrink_to_fit();
        Self(ranges)
    }

    /// Returns the range around an address.
    pub(crate) fn around(&self, address: u64) -> Option<Range<u64>> {
        let address = u32::try_from(address).ok()?;
        let after = self.0.partition_point(|(start, _)| *start <= address);
        let (start, end) = *self.0.get(after.checked_sub(1)?)?;
        (address < end).then_some(start.into()..end.into())
    }
}

/// Returns where the code of a range jumps to out of it.
pub(crate) fn jumps_out(program: &ProgramFile, range: &Range<u64>) -> Vec<u64> {
    let length = range.end.saturating_sub(range.start).min(LONGEST);
    let code = program.code(range.start, length).unwrap_or_default();
    jumps(&code, range)
}

fn jumps(code: &[u8], range: &Range<u64>) -> Vec<u64> {
    Decoder::with_ip(64, code, range.start, DecoderOptions::NONE)
        .into_iter()
        .filter(|instruction| {
            let flow = instruction.flow_control();
            matches!(
                flow,
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
            )
        })
        .map(|jump| jump.near_branch_target())
        .filter(|target| !range.contains(target))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_lead_out_of_a_part_and_calls_do_not() {
        #[rustfmt::skip]
        let code = [
            0x74, 0x02,                         // 1000: je 1004
            0xeb, 0xfc,                         // 1002: jmp 1000
            0xe8, 0xf7, 0x0f, 0x00, 0x00,       // 1004: call 2000
            0x0f, 0x84, 0xf1, 0x1f, 0x00, 0x00, // 1009: je 3000
            0xe9, 0xf1, 0x2f, 0x00, 0x00,       // 100f: jmp 4005
        ];
        assert_eq!(jumps(&code, &(0x1000..0x1014)), [0x3000, 0x4005]);
    }

    #[test]
    fn ranges_are_those_of_functions() {
        let program = ProgramFile::open(&std::env::current_exe().unwrap()).unwrap();
        let ranges = FunctionRanges::read(&program);
        let mut functions = 0;
        program.for_each_symbol(|symbol| {
            if symbol.is_function && symbol.size > 16 {
                let around = ranges.around(symbol.address + symbol.size / 2);
                functions += usize::from(around == Some(symbol.address..symbol.address + symbol.size));
            }
        });
        assert!(functions > 1_000, "{functions}");
        assert_eq!(ranges.around(0), None);
    }
}
