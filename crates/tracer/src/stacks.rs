//! Kernel stacks: from the ids in the records to function names, each stack once.

use std::collections::{BTreeMap, HashSet};

use aya::maps::{MapData, StackTraceMap};
use logtrace_events::{Record, Stack, encode, wire};

/// Turns stack ids into [`Stack`] records.
pub(crate) struct Stacks {
    map: StackTraceMap<MapData>,
    symbols: BTreeMap<u64, String>,
    known: HashSet<u32>,
}

impl Stacks {
    /// Names come from /proc/kallsyms; where it is not readable they are addresses.
    pub(crate) fn new(map: StackTraceMap<MapData>) -> Self {
        let symbols = aya::util::kernel_symbols().unwrap_or_default();
        Self {
            map,
            symbols,
            known: HashSet::new(),
        }
    }

    /// The encoded stack that a record refers to, the first time that one does.
    pub(crate) fn first_use(&mut self, record: &[u8]) -> Option<Vec<u8>> {
        let id = stack_of(record)?;
        if !self.known.insert(id) {
            return None;
        }
        let frames = self.frames(id);
        let mut bytes = Vec::new();
        encode(&Record::Stack(Stack { id, frames }), &mut bytes);
        Some(bytes)
    }

    /// Names of the frames, innermost first; none where the kernel dropped the stack.
    fn frames(&self, id: u32) -> Vec<String> {
        let Ok(trace) = self.map.get(&id, 0) else {
            return Vec::new();
        };
        trace.frames().iter().map(|frame| self.name(frame.ip)).collect()
    }

    fn name(&self, address: u64) -> String {
        match self.symbols.range(..=address).next_back() {
            Some((_, name)) => name.clone(),
            None => format!("{address:#x}"),
        }
    }
}

fn stack_of(record: &[u8]) -> Option<u32> {
    let bytes = record.get(..size_of::<wire::OffCpu>())?;
    let off: wire::OffCpu = bytemuck::pod_read_unaligned(bytes);
    if off.header.kind != wire::KIND_OFF_CPU {
        return None;
    }
    u32::try_from(off.stack).ok()
}
