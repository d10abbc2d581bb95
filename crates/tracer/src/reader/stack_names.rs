//! Names of kernel stacks: turns the ids in records into function names, each stack once.

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
    /// Reads names from /proc/kallsyms. If it is not readable, names are addresses.
    pub(crate) fn new(map: StackTraceMap<MapData>) -> Self {
        let symbols = aya::util::kernel_symbols().unwrap_or_default();
        Self {
            map,
            symbols,
            known: HashSet::new(),
        }
    }

    /// Returns the encoded stack of a record at its first use.
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

    /// Returns the names of the frames, innermost first; none if the kernel dropped the stack.
    fn frames(&self, id: u32) -> Vec<String> {
        let Ok(trace) = self.map.get(&id, 0) else {
            return Vec::new();
        };
        below_scheduler(trace.frames().iter().map(|frame| self.name(frame.ip)).collect())
    }

    fn name(&self, address: u64) -> String {
        match self.symbols.range(..=address).next_back() {
            Some((_, name)) => plain(name).to_owned(),
            None => format!("{address:#x}"),
        }
    }
}

/// Returns the name of a function without the suffixes of compiler clones (`.constprop.0`) and modules (`\t[xfs]`).
fn plain(symbol: &str) -> &str {
    symbol
        .split(['.', '\t'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(symbol)
}

/// Returns the frames that called the scheduler, without those of the probe and the scheduler, which all stacks share.
fn below_scheduler(mut frames: Vec<String>) -> Vec<String> {
    let entry = frames.iter().position(|frame| frame == "__schedule");
    let own = entry.map_or(0, |entry| entry + 1);
    let entry_points = frames[own..]
        .iter()
        .take_while(|frame| frame.starts_with("schedule"))
        .count();
    frames.drain(..own + entry_points);
    frames
}

fn stack_of(record: &[u8]) -> Option<u32> {
    let bytes = record.get(..size_of::<wire::OffCpu>())?;
    let off: wire::OffCpu = bytemuck::pod_read_unaligned(bytes);
    if off.header.kind != wire::KIND_OFF_CPU {
        return None;
    }
    u32::try_from(off.stack).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_stack_starts_at_the_caller_of_the_scheduler() {
        let seen = [
            "bpf_prog_8_on_switch",
            "bpf_trace_run4",
            "__schedule",
            "schedule",
            "schedule_timeout",
            "io_wait",
        ];
        assert_eq!(below_scheduler(frames(&seen)), ["io_wait"]);
        assert_eq!(
            below_scheduler(frames(&["io_wait", "do_fsync"])),
            ["io_wait", "do_fsync"]
        );
        assert!(below_scheduler(frames(&[])).is_empty());
    }

    #[test]
    fn names_lose_what_compiler_and_module_add() {
        assert_eq!(plain("ext4_fsync_nojournal.constprop.0"), "ext4_fsync_nojournal");
        assert_eq!(plain("xfs_file_fsync\t[xfs]"), "xfs_file_fsync");
        assert_eq!(plain(".hidden"), ".hidden");
    }
}
