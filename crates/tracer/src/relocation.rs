//! Tests of the kernel side against the types of several kernels. They need no root: nothing is loaded.
//!
//! `tests/data/btf` has the type information of kernels, reduced to what the object reads. `scripts/test-kernels --write`
//! writes it again.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use aya_obj::Object;
use aya_obj::btf::Btf;
use aya_obj::generated::bpf_insn;

/// Function that no kernel has. A read of something that the kernel lacks becomes a call of it.
const POISON: i32 = 0xBAD_2310;

/// Last function for programs that Linux 5.10, the oldest supported kernel, has (include/uapi/linux/bpf.h).
const LAST_OLD_HELPER: i32 = 155;

/// Later ones that the object calls where the kernel has them.
const NEWER_HELPERS: [(i32, &str); 2] = [
    (158, "BPF_FUNC_get_current_task_btf"),
    (175, "BPF_FUNC_task_pt_regs"),
];

/// Operation codes of instructions (include/uapi/linux/bpf.h).
const CLASS: u8 = 0x07;
const LOAD_IMMEDIATE: u8 = 0x18;
const MOVE_IMMEDIATE: u8 = 0xb7;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const JUMP: u8 = 0x05;
const JUMP_IF_ZERO: u8 = 0x15;
const JUMP_IF_NOT_ZERO: u8 = 0x55;
const JUMP_CLASSES: [u8; 2] = [0x05, 0x06];
const STORE_CLASSES: [u8; 2] = [0x02, 0x03];

/// Kernels of which there are types: their version, and the file.
fn kernels() -> BTreeMap<String, PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/btf");
    let files = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect()
}

/// The object, relocated against the types of a kernel of this version.
fn relocated(types: &[u8], version: &str) -> Object {
    let btf = Btf::parse(types, Default::default()).unwrap();
    let bytes = fs::read(concat!(env!("OUT_DIR"), "/logtrace.bpf.o")).unwrap();
    let mut object = Object::parse(&bytes).unwrap();
    let result = object.relocate_btf(&btf);
    assert!(result.is_ok(), "Linux {version}: {result:?}");
    object
}

/// Constants that registers have.
type KnownRegisters = [Option<i32>; 11];

/// Instructions that the kernel's verifier follows: those behind a condition that is known at load time are left out.
fn followed(instructions: &[bpf_insn]) -> HashSet<usize> {
    let mut seen: HashSet<(usize, KnownRegisters)> = HashSet::new();
    let mut open: Vec<(usize, KnownRegisters)> = vec![(0, [None; 11])];
    while let Some((at, mut known)) = open.pop() {
        if at >= instructions.len() || !seen.insert((at, known)) {
            continue;
        }
        let instruction = instructions[at];
        let (register, target) = (
            usize::from(instruction.dst_reg()),
            at.saturating_add_signed(isize::from(instruction.off) + 1),
        );
        match instruction.code {
            EXIT => {}
            JUMP => open.push((target, known)),
            JUMP_IF_ZERO | JUMP_IF_NOT_ZERO if instruction.imm == 0 && known[register].is_some() => {
                let jumps = (known[register] == Some(0)) == (instruction.code == JUMP_IF_ZERO);
                open.push((if jumps { target } else { at + 1 }, known));
            }
            CALL => {
                known[..6].fill(None);
                open.push((at + 1, known));
            }
            LOAD_IMMEDIATE => {
                known[register] = (instruction.src_reg() == 0).then_some(instruction.imm);
                open.push((at + 2, known));
            }
            code if JUMP_CLASSES.contains(&(code & CLASS)) => open.extend([(target, known), (at + 1, known)]),
            code => {
                if !STORE_CLASSES.contains(&(code & CLASS)) {
                    known[register] = (code == MOVE_IMMEDIATE).then_some(instruction.imm);
                }
                open.push((at + 1, known));
            }
        }
    }
    seen.into_iter().map(|(at, _)| at).collect()
}

/// Calls of functions of the kernel that the verifier follows, by program.
fn calls(object: &Object) -> Vec<(String, i32)> {
    let mut calls = Vec::new();
    for function in object.functions.values() {
        for at in followed(&function.instructions) {
            let instruction = function.instructions[at];
            // A call of the object's own function has a register in it.
            if instruction.code == CALL && instruction.src_reg() == 0 {
                calls.push((function.name.clone(), instruction.imm));
            }
        }
    }
    calls
}

/// Whether the types of a kernel have this function for programs.
fn has(types: &[u8], helper: i32) -> bool {
    let name = NEWER_HELPERS.iter().find(|(number, _)| *number == helper);
    name.is_some_and(|(_, name)| memchr::memmem::find(types, format!("\0{name}\0").as_bytes()).is_some())
}

#[test]
fn no_program_reads_or_calls_what_a_kernel_lacks() {
    let kernels = kernels();
    assert!(
        kernels.len() >= 5,
        "the oldest kernel, the newest, and those between: {kernels:?}"
    );
    for (version, path) in kernels {
        let types = fs::read(path).unwrap();
        let object = relocated(&types, &version);
        let lacks = |&(_, helper): &(String, i32)| helper > LAST_OLD_HELPER && !has(&types, helper);
        let lacking: Vec<_> = calls(&object).into_iter().filter(lacks).collect();
        assert!(
            lacking.is_empty(),
            "Linux {version} lacks what these call, or a field or type where it says {POISON}: {lacking:?}"
        );
    }
}
