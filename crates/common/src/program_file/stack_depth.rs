//! Depth of the stacks of BPF functions, read from a compiled object. The tracer's `build.rs` refuses an object whose uprobes
//! use too much, whatever compiled it.
//!
//! Since Linux 6.13 a function of a program of the type kprobe, as uprobes are, has a stack of its own for each CPU if it uses
//! 64 bytes or more (`BPF_PRIV_STACK_MIN_SIZE` in kernel/bpf/verifier.c), because a kprobe cannot be preempted. A uprobe
//! can: then two threads use one stack, and the kernel may panic. Programs of other types run without preemption, or are
//! kept from running twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use object::{File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SymbolKind};

/// Stack of a function that is refused, in bytes.
const REFUSED: u64 = 64;

/// The verifier rounds each function's depth up to this (`round_up_stack_depth`).
const ROUNDED_TO: u64 = 16;

/// Operation codes and their parts (include/uapi/linux/bpf.h).
const CALL: u8 = 0x85;
const MOVE: u8 = 0xbf;
const ADD_IMMEDIATE: u8 = 0x07;
const CLASS: u8 = 0x07;
const CONSTANT: u8 = 0x00;
const LOAD: u8 = 0x01;
const STORE_CONSTANT: u8 = 0x02;
const STORE: u8 = 0x03;
const ALU_32: u8 = 0x04;
const ALU_64: u8 = 0x07;

/// Size of an instruction.
const INSTRUCTION: u64 = 8;

/// Register that points to the end of the function's stack.
const FRAME_POINTER: usize = 10;

/// Function of the object.
#[derive(Debug)]
struct ObjectFunction {
    name: String,
    section: String,
    /// Bytes of stack, not rounded.
    depth: u64,
    /// Functions that it calls, by name.
    calls: BTreeSet<String>,
}

/// Place of an instruction: its section, and its offset there.
type InstructionPlace = (SectionIndex, u64);

/// Checks the stacks of all uprobes and of the functions that they call. Returns their depths by name.
///
/// Fails if one of them uses 64 bytes or more after rounding, or if the object cannot be read.
pub fn uprobe_depths(bytes: &[u8]) -> Result<BTreeMap<String, u64>, String> {
    let depths = stack_depths(bytes, |_, section| section.contains("probe"))?;
    let is_deep = |depth: &u64| depth.next_multiple_of(ROUNDED_TO) >= REFUSED;
    match depths.iter().find(|(_, depth)| is_deep(depth)) {
        Some((name, depth)) => Err(format!(
            "{name} is a uprobe or called by one, and uses {depth} bytes of stack: less than {REFUSED} are allowed when \
             rounded up to {ROUNDED_TO}, because Linux 6.13 and later may give it one stack for two threads. Keep less in \
             variables, or put them into a map"
        )),
        None => Ok(depths),
    }
}

/// Returns the depths of the functions that `is_first` takes by name and section, and of all that they call.
pub fn stack_depths(
    bytes: &[u8],
    is_first: impl Fn(&str, &str) -> bool,
) -> Result<BTreeMap<String, u64>, String> {
    let functions = functions(bytes)?;
    let mut open: Vec<&ObjectFunction> = functions
        .values()
        .filter(|function| is_first(&function.name, &function.section))
        .collect();
    let mut depths = BTreeMap::new();
    while let Some(function) = open.pop() {
        if depths.insert(function.name.clone(), function.depth).is_some() {
            continue;
        }
        for name in &function.calls {
            let called = functions.get(name);
            open.push(
                called
                    .ok_or_else(|| format!("{} calls {name}, which is not in the object", function.name))?,
            );
        }
    }
    Ok(depths)
}

fn functions(bytes: &[u8]) -> Result<BTreeMap<String, ObjectFunction>, String> {
    let file = File::parse(bytes).map_err(|error| error.to_string())?;
    let names = names(&file);
    let mut functions = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        let Some(index) = symbol.section_index().filter(|_| symbol.size() > 0) else {
            continue;
        };
        let section = file.section_by_index(index).map_err(|error| error.to_string())?;
        let code = section.data_range(symbol.address(), symbol.size());
        let code = code.ok().flatten().ok_or("a function is not in its section")?;
        let name = symbol.name().map_err(|error| error.to_string())?.to_owned();
        let function = ObjectFunction {
            section: section.name().unwrap_or_default().to_owned(),
            depth: depth(code),
            calls: calls(&file, (index, symbol.address()), code, &names)?,
            name: name.clone(),
        };
        functions.insert(name, function);
    }
    Ok(functions)
}

/// Returns the names of functions by their places.
fn names(file: &File<'_>) -> HashMap<InstructionPlace, String> {
    let functions = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    functions
        .filter_map(|symbol| {
            Some((
                (symbol.section_index()?, symbol.address()),
                symbol.name().ok()?.to_owned(),
            ))
        })
        .collect()
}

/// Returns the functions that the code at a place calls, or whose addresses it takes.
fn calls(
    file: &File<'_>,
    (index, start): InstructionPlace,
    code: &[u8],
    names: &HashMap<InstructionPlace, String>,
) -> Result<BTreeSet<String>, String> {
    let section = file.section_by_index(index).map_err(|error| error.to_string())?;
    let relocations: BTreeMap<u64, RelocationTarget> = section
        .relocations()
        .map(|(offset, relocation)| (offset, relocation.target()))
        .collect();
    let mut calls = BTreeSet::new();
    for (at, instruction) in (start..).step_by(8).zip(code.as_chunks::<8>().0) {
        let is_call = instruction[0] == CALL && instruction[1] >> 4 == 1;
        let immediate = i64::from(immediate(instruction));
        let target = match relocations.get(&at) {
            Some(RelocationTarget::Symbol(symbol)) => {
                let symbol = file.symbol_by_index(*symbol).map_err(|error| error.to_string())?;
                // A section's symbol stands for its first byte, and the instruction has the rest of the way.
                let further = match (symbol.kind(), is_call) {
                    (SymbolKind::Section, true) => (immediate + 1) * INSTRUCTION.cast_signed(),
                    (SymbolKind::Section, false) => immediate,
                    _ => 0,
                };
                let place = symbol.address().saturating_add_signed(further);
                symbol.section_index().map(|section| (section, place))
            }
            _ if is_call => {
                let place = at.saturating_add_signed((immediate + 1) * INSTRUCTION.cast_signed());
                Some((index, place))
            }
            _ => None,
        };
        match target.and_then(|target| names.get(&target)) {
            Some(name) => drop(calls.insert(name.clone())),
            None if is_call => return Err(format!("the call at {at} of {:?} has no target", section.name())),
            None => {}
        }
    }
    Ok(calls)
}

/// Returns how far below the end of its stack a function reaches: with what it loads and stores there, and with the
/// addresses that it makes.
fn depth(code: &[u8]) -> u64 {
    // Distance from the end of the stack, for registers that point into it. Jumps are not followed: a register that once
    // pointed into the stack counts until it gets something else.
    let mut into_stack = [None; 11];
    into_stack[FRAME_POINTER] = Some(0_i64);
    let mut lowest = 0;
    for instruction in code.as_chunks::<8>().0 {
        let (operation, registers) = (instruction[0], usize::from(instruction[1]));
        let (target, source) = (registers & 0x0f, registers >> 4);
        let offset = i64::from(i16::from_le_bytes([instruction[2], instruction[3]]));
        let pointer = |register: usize| into_stack.get(register).copied().flatten();
        match operation & CLASS {
            LOAD => {
                lowest = lowest.min(pointer(source).map_or(0, |base| base + offset));
                forget(&mut into_stack, target);
            }
            STORE_CONSTANT | STORE => lowest = lowest.min(pointer(target).map_or(0, |base| base + offset)),
            ALU_32 | ALU_64 => {
                let made = match operation {
                    MOVE => pointer(source),
                    ADD_IMMEDIATE => pointer(target).map(|base| base + i64::from(immediate(instruction))),
                    _ => None,
                };
                lowest = lowest.min(made.unwrap_or(0));
                if let Some(register) = into_stack.get_mut(target) {
                    *register = made;
                }
            }
            // A call leaves nothing in the registers of its arguments.
            _ if operation == CALL => (0..=5).for_each(|register| forget(&mut into_stack, register)),
            CONSTANT => forget(&mut into_stack, target),
            // Jumps change no register.
            _ => {}
        }
    }
    lowest.unsigned_abs()
}

fn forget(into_stack: &mut [Option<i64>; 11], register: usize) {
    if let Some(register) = into_stack.get_mut(register) {
        *register = None;
    }
}

fn immediate(instruction: &[u8]) -> i32 {
    instruction
        .last_chunk()
        .map_or(0, |bytes: &[u8; 4]| i32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_byte_of_a_stack_counts_however_it_is_reached() {
        // r2 = r10; r2 += -40
        let address = [
            0xbf, 0xa2, 0, 0, 0, 0, 0, 0, 0x07, 0x02, 0, 0, 0xd8, 0xff, 0xff, 0xff,
        ];
        // *(u64 *)(r10 - 48) = r1
        let store = [0x7b, 0x1a, 0xd0, 0xff, 0, 0, 0, 0];
        // r3 = *(u64 *)(r2 - 16)
        let load = [0x79, 0x23, 0xf0, 0xff, 0, 0, 0, 0];
        // r2 = r1
        let other = [0xbf, 0x12, 0, 0, 0, 0, 0, 0];
        assert_eq!(depth(&address), 40);
        assert_eq!(depth(&store), 48);
        assert_eq!(depth(&[&address[..], &load].concat()), 56);
        assert_eq!(depth(&[&address[..], &other, &load].concat()), 40);
        assert_eq!(depth(&[]), 0);
    }
}
