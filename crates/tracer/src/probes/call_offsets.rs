//! Places at which a function calls another one.

use iced_x86::{Decoder, DecoderOptions, FlowControl};

/// Returns the addresses of the direct near calls (`call rel32`) in `code` that lead to one of `targets`.
///
/// `code` starts at the virtual address `address`. A tail call (`jmp`) is not a call: its function would end there.
pub(crate) fn call_sites(code: &[u8], address: u64, targets: &[u64]) -> Vec<u64> {
    Decoder::with_ip(64, code, address, DecoderOptions::NONE)
        .iter()
        .filter(|instruction| instruction.flow_control() == FlowControl::Call)
        .filter(|instruction| targets.contains(&instruction.near_branch_target()))
        .map(|instruction| instruction.ip())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_of_the_target_are_found() {
        #[rustfmt::skip]
        let code = [
            0xf3, 0x0f, 0x1e, 0xfa,             // 1000: endbr64
            0x55,                               // 1004: push rbp
            0xe8, 0xf6, 0x0f, 0x00, 0x00,       // 1005: call 2000
            0xe8, 0xf1, 0x1f, 0x00, 0x00,       // 100a: call 3000
            0xff, 0x10,                         // 100f: call [rax]
            0xe8, 0xea, 0x0f, 0x00, 0x00,       // 1011: call 2000
            0xe9, 0xe5, 0x0f, 0x00, 0x00,       // 1016: jmp 2000
        ];
        assert_eq!(call_sites(&code, 0x1000, &[0x2000]), [0x1005, 0x1011]);
        assert_eq!(
            call_sites(&code, 0x1000, &[0x2000, 0x3000]),
            [0x1005, 0x100a, 0x1011]
        );
        assert!(call_sites(&code, 0x1000, &[0x4000]).is_empty());
    }
}
