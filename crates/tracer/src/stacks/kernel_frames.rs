//! Names of the frames of kernel stacks.

use aya::maps::{MapData, StackTraceMap};

use crate::stacks::kernel_symbols::KernelSymbols;

/// Kernel stacks by id, and the kernel's functions.
pub(crate) struct KernelFrames {
    map: StackTraceMap<MapData>,
    symbols: KernelSymbols,
}

impl KernelFrames {
    /// Names the stacks of this map with these functions.
    pub(crate) fn new(map: StackTraceMap<MapData>, symbols: KernelSymbols) -> Self {
        Self { map, symbols }
    }

    /// Returns the names of the frames, innermost first; none if the kernel dropped the stack.
    pub(crate) fn frames(&self, id: u32) -> Vec<String> {
        let Ok(stack) = self.map.get(&id, 0) else {
            return Vec::new();
        };
        let names = stack.frames().iter().map(|frame| self.name(frame.ip));
        below_scheduler(names.collect())
    }

    fn name(&self, address: u64) -> String {
        match self.symbols.name(address) {
            Some(name) => plain(name).to_owned(),
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
