//! What the kernel side keeps of each thread, and how it forgets that.

use std::collections::BTreeSet;
use std::fs;

use aya::maps::{Array, MapData, MapError};

/// `struct thread` of bpf/state.h.
type State = [u8; STATE_BYTES];
const STATE_BYTES: usize = 128;

/// `THREAD_SLOTS` there.
const SLOTS: u32 = 65536;

/// The states of a server's threads.
///
/// A thread that left the CPU in one burst and came back in a later one was not off it all the time: nothing of a burst
/// may stay for the next.
pub(crate) struct ThreadStates {
    pid: u32,
    map: Array<MapData, State>,
    /// Threads that may have a state.
    seen: BTreeSet<u32>,
}

impl ThreadStates {
    pub(crate) fn new(pid: u32, map: Array<MapData, State>) -> Self {
        Self {
            pid,
            map,
            seen: BTreeSet::new(),
        }
    }

    /// Takes note of the threads that there are now.
    pub(crate) fn note(&mut self) {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.pid)) else {
            return;
        };
        let tids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse::<u32>().ok());
        self.seen.extend(tids);
    }

    /// Forgets them all; no program may be attached.
    pub(crate) fn clear(&mut self) -> Result<(), MapError> {
        self.note();
        for tid in std::mem::take(&mut self.seen) {
            self.map.set(tid % SLOTS, [0; STATE_BYTES], 0)?;
        }
        Ok(())
    }
}
