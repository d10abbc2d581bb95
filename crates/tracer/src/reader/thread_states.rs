//! States of threads on the kernel side, and resetting them.

use std::collections::BTreeSet;
use std::fs;

use aya::maps::{Array, MapData, MapError};

/// `struct thread` of bpf/state.h.
type State = [u8; STATE_BYTES];
const STATE_BYTES: usize = 128;

/// `THREAD_SLOTS` there, and the multiplier that finds a spare slot.
const SLOTS: u32 = 65536;
const SPARE_MULTIPLIER: u32 = 0x9e37_79b1;

/// States of a server's threads.
///
/// They are reset between bursts: a thread that left the CPU in one burst and came back in a later one was not off it
/// all the time.
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

    /// Notes the threads of the server.
    pub(crate) fn note(&mut self) {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.pid)) else {
            return;
        };
        let tids = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse::<u32>().ok());
        self.seen.extend(tids);
    }

    /// Resets the states of all threads. No program may be attached.
    pub(crate) fn clear(&mut self) -> Result<(), MapError> {
        self.note();
        for tid in std::mem::take(&mut self.seen) {
            let spare = SLOTS + (tid.wrapping_mul(SPARE_MULTIPLIER) >> 20);
            for slot in [tid % SLOTS, spare] {
                self.map.set(slot, [0; STATE_BYTES], 0)?;
            }
        }
        Ok(())
    }
}
