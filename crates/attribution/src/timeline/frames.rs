//! Frames that reports show below a cause, and their names.

use logtrace_events::{CpuStacks, CpuWait, OffCpu, Process, Stack};
use rustc_hash::FxHashMap;

use crate::causes::Wait;
use crate::causes::server_rules::{ServerReason, server_reason};
use crate::causes::stack_rules::wait_of;
use crate::timeline::query_horizon::Push;
use crate::timeline::stacks::Stacks;

/// Limit on processes with names. Others have their ids as names.
const MAX_PROCESSES: usize = 1 << 16;

/// Limit on different names of processes.
const MAX_NAMES: usize = 1 << 12;

/// Frames below a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frames {
    /// Kernel stack with this id.
    Kernel(u32),
    /// Stack of the server's functions with this id.
    Server(u32),
    /// Processes with a name: its place among the names.
    Process(u32),
    /// Process with this id and an unknown name.
    Unnamed(u32),
}

impl Frames {
    /// Returns the frames as one number, which is not 0 and is faster to look up in a map.
    pub(crate) fn number(self) -> u64 {
        let (kind, id) = match self {
            Self::Kernel(id) => (1, id),
            Self::Server(id) => (2, id),
            Self::Process(place) => (3, place),
            Self::Unnamed(tgid) => (4, tgid),
        };
        kind << 32 | u64::from(id)
    }
}

/// Part of a stack below its cause. Segments have frames alone, which take a third of the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// Frames.
    Frames(Frames),
    /// Functions that ran on the CPU.
    Running(CpuStacks),
}

impl From<Frames> for Below {
    fn from(frames: Frames) -> Self {
        Self::Frames(frames)
    }
}

/// Names of frames.
#[derive(Debug, Default)]
pub struct FrameNames {
    kernel: Stacks<Wait>,
    server: Stacks<Option<ServerReason>>,
    /// Names of processes, each once.
    process_names: Vec<String>,
    /// Place of the name of a process, by its id.
    processes: FxHashMap<u32, u32>,
    /// Place of a name.
    places: FxHashMap<String, u32>,
}

impl FrameNames {
    /// Adds a kernel stack.
    pub fn push_kernel(&mut self, stack: Stack) -> Push {
        let wait = |frames: &[String]| wait_of(frames).unwrap_or(Wait::Unclassified);
        self.kernel.push(stack, wait)
    }

    /// Adds a stack of the server's functions.
    pub(crate) fn push_server(&mut self, stack: Stack) -> Push {
        self.server.push(stack, server_reason)
    }

    /// Returns the wait of a block with this kernel stack.
    pub fn kernel_wait(&self, id: Option<u32>) -> Wait {
        let wait = id.and_then(|id| self.kernel.meaning(id));
        wait.copied().unwrap_or(Wait::Unclassified)
    }

    /// Returns the reason of a wait with this stack of the server, if the stack shows one.
    pub(crate) fn server_reason(&self, id: u32) -> Option<&ServerReason> {
        self.server.meaning(id)?.as_ref()
    }

    /// Names a process. An id may be used again by a later process.
    pub(crate) fn push_process(&mut self, process: Process) {
        let has_room = self.processes.len() < MAX_PROCESSES || self.processes.contains_key(&process.tgid);
        match self.place(process.name).filter(|_| has_room) {
            Some(place) => self.processes.insert(process.tgid, place),
            None => self.processes.remove(&process.tgid),
        };
    }

    /// Returns the place of a name, if there is room for it.
    fn place(&mut self, name: String) -> Option<u32> {
        if let Some(&place) = self.places.get(&name) {
            return Some(place);
        }
        let place = u32::try_from(self.process_names.len()).ok()?;
        (self.process_names.len() < MAX_NAMES).then(|| {
            self.process_names.push(name.clone());
            self.places.insert(name, place);
            place
        })
    }

    /// Returns the process that had the CPU after `off`, if it is neither the server nor logtrace. Processes with one name are
    /// one: a build has thousands.
    pub(crate) fn cpu_holder(&self, off: &OffCpu) -> Option<Frames> {
        let CpuWait::Process(tgid) = off.cpu_wait else {
            return None;
        };
        let place = self.processes.get(&tgid).copied();
        Some(place.map_or(Frames::Unnamed(tgid), Frames::Process))
    }

    /// Returns the names of frames, outermost first; none for frames that are lost.
    pub fn names(&self, frames: Option<Frames>) -> Vec<String> {
        match frames {
            None => Vec::new(),
            Some(Frames::Kernel(id)) => self.kernel.frames(id).collect(),
            Some(Frames::Server(id)) => self.server.frames(id).collect(),
            Some(Frames::Process(place)) => self
                .process_names
                .get(place as usize)
                .cloned()
                .into_iter()
                .collect(),
            Some(Frames::Unnamed(tgid)) => vec![format!("process {tgid}")],
        }
    }

    /// Returns the names of what is shown below a cause, outermost first.
    pub(crate) fn names_below(&self, below: Option<impl Into<Below>>) -> Vec<String> {
        match below.map(Into::into) {
            None => Vec::new(),
            Some(Below::Frames(frames)) => self.names(Some(frames)),
            Some(Below::Running(stacks)) => self.running(stacks).collect(),
        }
    }

    /// Returns the server's functions, then those of the kernel that they called.
    fn running(&self, stacks: CpuStacks) -> impl Iterator<Item = String> {
        let server = stacks.server.into_iter().flat_map(|id| self.server.frames(id));
        let kernel = stacks.kernel.into_iter().flat_map(|id| self.kernel.frames(id));
        server.chain(kernel)
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::Wake;

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

    #[test]
    fn processes_with_one_name_are_one_and_a_used_id_has_its_new_name_from_then_on() {
        let mut names = FrameNames::default();
        let holder = |names: &FrameNames, tgid| {
            let off = OffCpu {
                tid: 1,
                out_ns: 1,
                in_ns: 2,
                wake: Wake::Preempted,
                syscall: None,
                stack: None,
                cpu_wait: CpuWait::Process(tgid),
            };
            names.cpu_holder(&off)
        };
        let mut name = |tgid, name: &str| {
            names.push_process(Process {
                tgid,
                name: name.to_owned(),
            });
            holder(&names, tgid)
        };
        let (cc, other_cc, ld) = (name(7, "cc"), name(8, "cc"), name(7, "ld"));
        assert_eq!(cc, other_cc);
        let text = |frames| names.names(frames);
        assert_eq!(
            (text(cc), text(ld)),
            (vec!["cc".to_owned()], vec!["ld".to_owned()])
        );
        assert_eq!(text(holder(&names, 9)), ["process 9"]);
    }

    #[test]
    fn names_of_processes_are_bounded() {
        let mut names = FrameNames::default();
        for tgid in 0..200_000 {
            let name = format!("{}", tgid % 10_000);
            names.push_process(Process { tgid, name });
        }
        assert_eq!(names.process_names.len(), MAX_NAMES);
        assert_eq!(names.processes.len(), MAX_PROCESSES);
    }
}
