//! Ways to place a probe in a process.

use std::path::Path;

use libbpf_rs::{Link, ProgramAttachType, ProgramMut, Result, UprobeMultiOpts};

/// Way to place probes in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uprobes {
    /// One link for all places of a program, since Linux 6.6. It comes and goes at once.
    Together {
        /// Whether the kernel filters by process. Before Linux 6.10 it compares the thread, which holds for the main thread
        /// alone (kernel/trace/bpf_trace.c, `uprobe_prog_run()`); then the programs run in all processes of the
        /// program file, and compare the process themselves.
        is_filtered: bool,
    },
    /// A perf event for each place. Each takes the kernel some 50 ms to remove.
    Apart,
}

impl Uprobes {
    /// Returns the attach type with which programs have to be loaded, if it is not that of their section.
    pub(crate) fn attach_type(self) -> Option<ProgramAttachType> {
        match self {
            Self::Together { .. } => Some(ProgramAttachType::TraceUprobeMulti),
            Self::Apart => None,
        }
    }

    /// Attaches a program to offsets in a file, for one process.
    pub(crate) fn attach(
        self,
        program: &ProgramMut<'_>,
        file: &Path,
        offsets: &[u64],
        pid: u32,
    ) -> Result<Vec<Link>> {
        let pid = i32::try_from(pid).unwrap_or(i32::MAX);
        let offsets = offsets.iter().filter_map(|&offset| usize::try_from(offset).ok());
        let each_process = -1;
        match self {
            Self::Together { is_filtered } => {
                let options = UprobeMultiOpts {
                    offsets: offsets.collect(),
                    ..UprobeMultiOpts::default()
                };
                let pid = if is_filtered { pid } else { each_process };
                let link = program.attach_uprobe_multi_with_opts(pid, file, "", options)?;
                Ok(vec![link])
            }
            Self::Apart => offsets
                .map(|offset| program.attach_uprobe(false, pid, file, offset))
                .collect(),
        }
    }
}
