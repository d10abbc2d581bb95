//! States of threads on the kernel side, and resetting them.

use std::collections::BTreeSet;
use std::sync::Arc;

use aya::maps::{Array, MapData, MapError};
use logtrace_common::process::ProcessHandle;
use logtrace_events::{CpuWait, OffCpu, Wake};

/// `struct thread` of bpf/state.h.
type ThreadState = [u8; STATE_BYTES];
const STATE_BYTES: usize = 128;

/// Offsets of its fields.
const TID: usize = 0;
const PREEMPTED: usize = 4;
const COMMIT_NS: usize = 8;
const OUT_NS: usize = 24;
const STACK: usize = 56;
const SYSCALL: usize = 60;

/// `THREAD_SLOTS` there, and the multiplier that finds a spare slot.
const SLOTS: u32 = 65536;
const SPARE_MULTIPLIER: u32 = 0x9e37_79b1;

/// States of a server's threads.
///
/// They are reset between bursts: a thread that left the CPU in one burst and came back in a later one was not off it
/// all the time.
pub(crate) struct ThreadStates {
    process: Arc<ProcessHandle>,
    map: Array<MapData, ThreadState>,
    /// Threads that may have a state.
    seen: BTreeSet<u32>,
}

impl ThreadStates {
    pub(crate) fn new(process: Arc<ProcessHandle>, map: Array<MapData, ThreadState>) -> Self {
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
            let state = self.state(*tid);
            state.is_some_and(|state| {
                let commit_ns = u64_at(&state, COMMIT_NS);
                commit_ns > 0 && commit_ns < before_ns
            })
        };
        self.process.threads().filter(is_in_commit).count()
    }

    /// Returns the waits that are under way at `at_ns`, as if they ended then: without the waits of clients that are idle, the
    /// last statements of these would have no end. No program may be tracing.
    pub(crate) fn waits(&self, at_ns: u64) -> impl Iterator<Item = OffCpu> {
        let threads = self.process.threads();
        threads.filter_map(move |tid| wait(&self.state(tid)?, at_ns))
    }

    /// Returns the state of a thread, if it has one.
    fn state(&self, tid: u32) -> Option<ThreadState> {
        let slots = slots_of(tid).into_iter();
        let mut states = slots.filter_map(|slot| self.map.get(&slot, 0).ok());
        states.find(|state| u32_at(state, TID) == tid)
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

/// Returns the wait of a thread that is blocked since before `at_ns`. One with a stack has it in a map that is not read any more.
fn wait(state: &ThreadState, at_ns: u64) -> Option<OffCpu> {
    let out_ns = u64_at(state, OUT_NS);
    let syscall = u16::from_ne_bytes([state[SYSCALL], state[SYSCALL + 1]]);
    let has_stack = u32_at(state, STACK).cast_signed() >= 0;
    let is_blocked = out_ns > 0 && out_ns < at_ns && state[PREEMPTED] == 0 && !has_stack;
    is_blocked.then(|| OffCpu {
        tid: u32_at(state, TID),
        out_ns,
        in_ns: at_ns,
        wake: Wake::Unknown,
        syscall: (syscall.cast_signed() >= 0).then_some(syscall),
        stack: None,
        cpu_wait: CpuWait::Unknown,
    })
}

fn u32_at(state: &ThreadState, at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&state[at..at + 4]);
    u32::from_ne_bytes(bytes)
}

fn u64_at(state: &ThreadState, at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&state[at..at + 8]);
    u64::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the state of a thread that is in `poll` since 90 ns.
    fn polling() -> ThreadState {
        let mut state = [0; STATE_BYTES];
        state[TID..TID + 4].copy_from_slice(&7_u32.to_ne_bytes());
        state[OUT_NS..OUT_NS + 8].copy_from_slice(&90_u64.to_ne_bytes());
        state[STACK..STACK + 4].copy_from_slice(&(-1_i32).to_ne_bytes());
        state[SYSCALL..SYSCALL + 2].copy_from_slice(&7_i16.to_ne_bytes());
        state
    }

    #[test]
    fn a_wait_that_is_under_way_ends_with_the_trace() {
        let wait = wait(&polling(), 100).unwrap();
        assert_eq!((wait.tid, wait.out_ns, wait.in_ns), (7, 90, 100));
        assert_eq!((wait.syscall, wait.wake), (Some(7), Wake::Unknown));
    }

    #[test]
    fn what_runs_was_preempted_began_later_or_has_a_stack_is_left_out() {
        let mut others = [polling(), polling(), polling()];
        others[0][OUT_NS..OUT_NS + 8].fill(0);
        others[1][PREEMPTED] = 1;
        others[2][STACK..STACK + 4].fill(0);
        assert!(others.iter().all(|state| wait(state, 100).is_none()));
        assert!(wait(&polling(), 90).is_none());
    }
}
