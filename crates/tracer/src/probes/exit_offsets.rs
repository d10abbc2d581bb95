//! Places at which a function ends.

use iced_x86::{Decoder, DecoderOptions, FlowControl};

/// Returns the addresses of the instructions with which a function leaves for its caller: `ret`, and jumps to other
/// functions (`is_function`) that return in its place. The kernel single-steps a `ret`, which takes 12 to 19 us: only XA
/// statements pay that.
///
/// `code` starts at the virtual address `address`. Cold parts of the function lie elsewhere, and jump back or throw.
pub(crate) fn exits(code: &[u8], address: u64, mut is_function: impl FnMut(u64) -> bool) -> Vec<u64> {
    let own = address..address.saturating_add(code.len() as u64);
    Decoder::with_ip(64, code, address, DecoderOptions::NONE)
        .iter()
        .filter(|instruction| match instruction.flow_control() {
            FlowControl::Return => true,
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                let target = instruction.near_branch_target();
                !own.contains(&target) && is_function(target)
            }
            _ => false,
        })
        .map(|instruction| instruction.ip())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_and_jumps_to_other_functions_are_exits() {
        #[rustfmt::skip]
        let code = [
            0x74, 0x03,                         // 1000: je 1005
            0xc3,                               // 1002: ret
            0xeb, 0xfb,                         // 1003: jmp 1000
            0xe8, 0xf6, 0x0f, 0x00, 0x00,       // 1005: call 2000
            0xe9, 0xf1, 0x0f, 0x00, 0x00,       // 100a: jmp 2000
            0xe9, 0xec, 0x1f, 0x00, 0x00,       // 100f: jmp 3000, a part of this function
        ];
        assert_eq!(exits(&code, 0x1000, |target| target == 0x2000), [0x1002, 0x100a]);
        assert!(exits(&[], 0x1000, |_| true).is_empty());
    }
}
