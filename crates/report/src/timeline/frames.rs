//! Frames that reports show below a cause, and their names.

use logtrace_events::{CpuWait, OffCpu, Process};
use rustc_hash::FxHashMap;

use crate::timeline::kernel_stacks::Stacks;
use crate::timeline::server_stacks::ServerStacks;

/// Frames below a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frames {
    /// Kernel stack with this id.
    Kernel(u32),
    /// Stack of the server's functions with this id.
    Server(u32),
    /// Process with this id.
    Process(u32),
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
    pub(crate) kernel: Stacks,
    pub(crate) server: ServerStacks,
    processes: FxHashMap<u32, String>,
}

impl FrameNames {
    /// Names a process. An id may be used again by a later process.
    pub(crate) fn push_process(&mut self, process: Process) {
        self.processes.insert(process.tgid, process.name);
    }

    /// Returns the names of frames, outermost first; none for frames that are lost.
    pub(crate) fn names(&self, frames: Option<Frames>) -> Vec<String> {
        match frames {
            None => Vec::new(),
            Some(Frames::Kernel(id)) => self.kernel.frames(id).collect(),
            Some(Frames::Server(id)) => self.server.frames(id).collect(),
            Some(Frames::Process(tgid)) => vec![self.process(tgid)],
        }
    }

    fn process(&self, tgid: u32) -> String {
        let name = self.processes.get(&tgid);
        name.map_or_else(|| format!("process {tgid}"), Clone::clone)
    }
}
