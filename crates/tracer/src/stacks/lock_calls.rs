//! Calls that take a metadata lock: that of an object, or that of all objects at once, which FLUSH TABLES WITH READ LOCK holds.
//!
//! Both are the same functions of the server. What tells them apart is the request that the caller prepares just before:
//! `MDL_REQUEST_INIT(&request, MDL_key::GLOBAL, ...)` in MySQL, `MDL_key::BACKUP` in MariaDB, with the number 0 in both
//! (sql/mdl.h). A list of requests has several of them, and is left alone.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, Register};

/// Method of the servers that prepares a request, in all its overloads (sql/mdl.cc). Its second argument is the kind of lock.
const PREPARES: &str = "MDL_request::init";

/// Returns whether the code before a call prepares a request for the lock of all objects.
///
/// `code` starts at `address` and ends in the call; `name_of` names the function at an address.
pub(crate) fn is_for_all_objects(code: &[u8], address: u64, name_of: impl Fn(u64) -> Option<String>) -> bool {
    let instructions: Vec<Instruction> = Decoder::with_ip(64, code, address, DecoderOptions::NONE)
        .iter()
        .collect();
    let mut before = instructions.iter().rev().skip_while(|instruction| {
        let is_call = instruction.flow_control() == FlowControl::Call;
        let callee = is_call.then(|| name_of(instruction.near_branch_target()));
        !callee.flatten().is_some_and(|name| name.starts_with(PREPARES))
    });
    before.next();
    let mut arguments = before.take_while(|instruction| instruction.flow_control() == FlowControl::Next);
    let second = arguments.find(|instruction| {
        let changed = instruction.op0_register().full_register();
        changed == Register::RSI && !matches!(instruction.mnemonic(), Mnemonic::Test | Mnemonic::Cmp)
    });
    second.is_some_and(is_zero)
}

/// Returns whether an instruction sets its register to 0.
fn is_zero(instruction: &Instruction) -> bool {
    match instruction.code() {
        Code::Xor_r32_rm32 | Code::Xor_rm32_r32 => instruction.op0_register() == instruction.op1_register(),
        Code::Mov_r32_imm32 => instruction.immediate32() == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether this code, which calls 2000 to prepare a request, asks for the lock of all objects.
    fn is_found(code: &[u8]) -> bool {
        is_for_all_objects(code, 0x1000, |address| {
            let name = (address == 0x2000).then_some("MDL_request::init_with_source");
            name.map(str::to_owned)
        })
    }

    #[test]
    fn the_last_request_before_the_call_decides() {
        #[rustfmt::skip]
        let all = [
            0x31, 0xf6,                         // 1000: xor esi, esi
            0x48, 0x89, 0xf2,                   // 1002: mov rdx, rsi
            0xe8, 0xf6, 0x0f, 0x00, 0x00,       // 1005: call 2000
            0x48, 0x89, 0xde,                   // 100a: mov rsi, rbx
            0xe8, 0xee, 0x1f, 0x00, 0x00,       // 100d: call 3000
        ];
        assert!(is_found(&all));
        #[rustfmt::skip]
        let one = [
            0xbe, 0x04, 0x00, 0x00, 0x00,       // 1012: mov esi, 4
            0xe8, 0xe4, 0x0f, 0x00, 0x00,       // 1017: call 2000
        ];
        assert!(!is_found(&[&all[..], &one[..]].concat()));
        assert!(!is_found(&all[10..]), "none is prepared");
    }

    #[test]
    fn what_a_branch_has_left_in_the_register_is_not_known() {
        #[rustfmt::skip]
        let code = [
            0x31, 0xf6,                         // 1000: xor esi, esi
            0x74, 0x00,                         // 1002: je 1004
            0xe8, 0xf7, 0x0f, 0x00, 0x00,       // 1004: call 2000
        ];
        assert!(!is_found(&code));
    }
}
