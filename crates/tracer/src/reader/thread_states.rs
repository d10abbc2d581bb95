//! States of threads on the kernel side, and resetting them.

use std::collections::BTreeSet;
use std::sync::Arc;

use aya::maps::{Array, MapData, MapError};
use logtrace_common::process::ProcessHandle;

/// `struct thread` of bpf/state.h.
type State = [u8; STATE_BYTES];
const STATE_BYTES: usize = 128;

/// Offsets of `tid` and `commit_ns` in it.
const TID: usize = 0;
const COMMIT_NS: usize = 8;

/// `THREAD_SLOTS` there, and the multiplier that finds a spare slot.
const SLOTS: u32 = 65536;
const SPARE_MULTIPLIER: u32 = 0x9e37_79b1;

/// States of a server's threads.
///
/// They are reset between bursts: a thread that left the CPU in one burst and came back in a later one was not off it
/// all the time.
pub(crate) struct ThreadStates {
    process: Arc<ProcessHandle>,
    map: Array<MapData, State>,
    /// Threads that may have a state.
    seen: BTreeSet<u32>,
}

impl ThreadStates {
    pub(crate) fn new(process: Arc<ProcessHandle>, map: Array<MapData, State>) -> Self {
        Self {
            process,
            map,
            seen: BTreeSet::new(),
        }
    }

    /// Notes the threads of the server.
    pub(crate) fn note(&mut self) {
        self.seen.extend(self.process.threads());
    }

    /// Returns the number of threads that are in a commit that began before `before_ns`.
    pub(crate) fn commits_begun(&self, before_ns: u64) -> usize {
        let is_in_commit = |tid: &u32| {
            let slots = slots_of(*tid).into_iter();
            let mut states = slots.filter_map(|slot| self.map.get(&slot, 0).ok());
            states.any(|state| {
                let commit_ns = commit_ns(&state, *tid);
                commit_ns > 0 && commit_ns < before_ns
            })
        };
        self.process.threads().filter(is_in_commit).count()
    }

    /// Resets the states of all threads. No program may be attached.
    pub(crate) fn clear(&mut self) -> Result<(), MapError> {
        self.note();
        for tid in std::mem::take(&mut self.seen) {
            for slot in slots_of(tid) {
                self.map.set(slot, &[0; STATE_BYTES], 0)?;
            }
        }
        Ok(())
    }
}

/// Returns the slot of a thread and its spare slot.
fn slots_of(tid: u32) -> [u32; 2] {
    [tid % SLOTS, SLOTS + (tid.wrapping_mul(SPARE_MULTIPLIER) >> 20)]
}

/// Returns when the current commit of thread `tid` began; 0 if it is in none, or if the state is another thread's.
fn commit_ns(state: &State, tid: u32) -> u64 {
    let (mut owner, mut begun) = ([0; 4], [0; 8]);
    owner.copy_from_slice(&state[TID..TID + 4]);
    begun.copy_from_slice(&state[COMMIT_NS..COMMIT_NS + 8]);
    if u32::from_ne_bytes(owner) == tid {
        u64::from_ne_bytes(begun)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_from_the_state_of_its_own_thread() {
        let mut state = [0; STATE_BYTES];
        state[TID..TID + 4].copy_from_slice(&7u32.to_ne_bytes());
        state[COMMIT_NS..COMMIT_NS + 8].copy_from_slice(&90u64.to_ne_bytes());
        assert_eq!((commit_ns(&state, 7), commit_ns(&state, 8)), (90, 0));
    }
}
