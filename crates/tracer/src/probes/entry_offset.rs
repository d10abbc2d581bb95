//! Place of a probe on the entry of a function.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};

/// Returns the address of the first instruction, if the kernel emulates it and only `endbr64` and comparisons come
/// before it. There the arguments are still in their registers, and the stack pointer is at the return address. Returns
/// `None` for any other beginning.
///
/// A probe on an emulated instruction costs 1 us, on any other 12 to 19 us (arch/x86/kernel/uprobes.c,
/// `push_setup_xol_ops`, `branch_setup_xol_ops`).
pub(crate) fn cheap_entry(code: &[u8], address: u64) -> Option<u64> {
    let mut instructions = Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter();
    let changes_nothing = [Mnemonic::Endbr64, Mnemonic::Test, Mnemonic::Cmp];
    let first = instructions.find(|instruction| !changes_nothing.contains(&instruction.mnemonic()))?;
    let emulated = matches!(first.mnemonic(), Mnemonic::Push | Mnemonic::Nop) || first.is_jcc_short_or_near();
    emulated.then(|| first.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    const PUSH_RBP: u8 = 0x55;

    #[test]
    fn the_push_after_the_landing_pad_is_taken() {
        let code = [&ENDBR64[..], &[PUSH_RBP, 0x48, 0x89, 0xe5]].concat();
        assert_eq!(cheap_entry(&code, 0x1000), Some(0x1004));
        assert_eq!(cheap_entry(&code[4..], 0x1000), Some(0x1000));
    }

    #[test]
    fn a_branch_on_an_argument_is_taken() {
        // test rdi, rdi; je +8; push rbp
        let code = [0x48, 0x85, 0xff, 0x74, 0x08, PUSH_RBP];
        assert_eq!(cheap_entry(&code, 0x1000), Some(0x1003));
    }

    #[test]
    fn an_instruction_that_is_stepped_is_not() {
        // sub rsp, 8; push rbp
        let code = [&ENDBR64[..], &[0x48, 0x83, 0xec, 0x08, PUSH_RBP]].concat();
        assert_eq!(cheap_entry(&code, 0x1000), None);
        assert_eq!(cheap_entry(&[], 0x1000), None);
    }
}
