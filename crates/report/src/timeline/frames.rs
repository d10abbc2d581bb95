//! Frames that reports show below a cause, and their names.

use logtrace_events::{CpuStacks, CpuWait, OffCpu, Process, Stack};
use rustc_hash::FxHashMap;

use crate::causes::cause::Wait;
use crate::causes::server_rules::{ServerReason, server_reason};
use crate::causes::stack_rules::wait_of;
use crate::timeline::query_horizon::Push;
use crate::timeline::stacks::Stacks;

/// Limit on names of processes. Others have their ids as names.
const MAX_PROCESSES: usize = 1 << 16;

/// Frames below a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frames {
    /// Kernel stack with this id.
    Kernel(u32),
    /// Stack of the server's functions with this id.
    Server(u32),
    /// Process with this id.
    Process(u32),
    /// Functions that ran on the CPU.
    Cpu(CpuStacks),
}

impl Frames {
    /// Returns the process that had the CPU after `off`, if it is neither the server nor logtrace.
    pub(crate) fn cpu_holder(off: &OffCpu) -> Option<Self> {
        match off.cpu_wait {
            CpuWait::Process(tgid) => Some(Self::Process(tgid)),
            _ => None,
        }
    }
}

/// Names of frames.
#[derive(Debug, Default)]
pub(crate) struct FrameNames {
    kernel: Stacks<Wait>,
    server: Stacks<Option<ServerReason>>,
    processes: FxHashMap<u32, String>,
}

impl FrameNames {
    /// Adds a kernel stack.
    pub(crate) fn push_kernel(&mut self, stack: Stack) -> Push {
        let wait = |frames: &[String]| wait_of(frames).unwrap_or(Wait::Unclassified);
        self.kernel.push(stack, wait)
    }

    /// Adds a stack of the server's functions.
    pub(crate) fn push_server(&mut self, stack: Stack) -> Push {
        self.server.push(stack, server_reason)
    }

    /// Returns the wait of a block with this kernel stack.
    pub(crate) fn kernel_wait(&self, id: Option<u32>) -> Wait {
        let wait = id.and_then(|id| self.kernel.meaning(id));
        wait.copied().unwrap_or(Wait::Unclassified)
    }

    /// Returns the reason of a wait with this stack of the server, if the stack shows one.
    pub(crate) fn server_reason(&self, id: u32) -> Option<&ServerReason> {
        self.server.meaning(id)?.as_ref()
    }

    /// Names a process. An id may be used again by a later process.
    pub(crate) fn push_process(&mut self, process: Process) {
        if self.processes.len() < MAX_PROCESSES || self.processes.contains_key(&process.tgid) {
            self.processes.insert(process.tgid, process.name);
        }
    }

    /// Returns the names of frames, outermost first; none for frames that are lost.
    pub(crate) fn names(&self, frames: Option<Frames>) -> Vec<String> {
        match frames {
            None => Vec::new(),
            Some(Frames::Kernel(id)) => self.kernel.frames(id).collect(),
            Some(Frames::Server(id)) => self.server.frames(id).collect(),
            Some(Frames::Process(tgid)) => vec![self.process(tgid)],
            Some(Frames::Cpu(stacks)) => self.running(stacks).collect(),
        }
    }

    /// Returns the server's functions, then those of the kernel that they called.
    fn running(&self, stacks: CpuStacks) -> impl Iterator<Item = String> {
        let server = stacks.server.into_iter().flat_map(|id| self.server.frames(id));
        let kernel = stacks.kernel.into_iter().flat_map(|id| self.kernel.frames(id));
        server.chain(kernel)
    }

    fn process(&self, tgid: u32) -> String {
        let name = self.processes.get(&tgid);
        name.map_or_else(|| format!("process {tgid}"), Clone::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_stack_that_is_lost_unknown_or_was_not_taken_is_unclassified() {
        let mut names = FrameNames::default();
        for (id, innermost) in [(1, "jbd2_log_wait_commit"), (2, "some_driver_wait")] {
            let frames = vec![innermost.to_owned(), "vfs_write".to_owned()];
            names.push_kernel(Stack { id, frames });
        }
        let waits = [Some(1), Some(2), Some(3), None].map(|id| names.kernel_wait(id));
        let [unknown, lost, not_taken] = [Wait::Unclassified; 3];
        assert_eq!(waits, [Wait::JournalCommit, unknown, lost, not_taken]);
    }
}
