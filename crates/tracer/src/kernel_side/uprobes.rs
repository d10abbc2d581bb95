//! Ways to place a probe in a process.

use std::num::NonZeroU32;
use std::path::Path;

use aya::programs::uprobe::UProbeScope;
use aya::programs::{ProgramError, UProbe};

use crate::kernel_release::KernelRelease;
use crate::kernel_side::attaching::Link;

/// Way to place probes in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uprobes {
    /// One link for all places of a program, since Linux 6.6. It comes and goes in milliseconds, and needs no
    /// `CAP_SYS_ADMIN`.
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
    /// Returns the way of a release.
    pub(crate) fn of(release: KernelRelease) -> Self {
        let since = |minor| release >= KernelRelease { major: 6, minor };
        match since(6) {
            true => Self::Together {
                is_filtered: since(10),
            },
            false => Self::Apart,
        }
    }

    /// Attaches a program to offsets in a file, for one process.
    pub(crate) fn attach(
        self,
        program: &mut UProbe,
        file: &Path,
        offsets: &[u64],
        pid: u32,
    ) -> Result<Vec<Link>, ProgramError> {
        let process = NonZeroU32::new(pid).map_or(UProbeScope::CallingProcess, UProbeScope::OneProcess);
        let mut attach = |offsets: &[u64], scope| {
            let link = program.attach(offsets, file, scope)?;
            Ok(Box::new(program.take_link(link)?) as Link)
        };
        match self {
            Self::Together { is_filtered: true } => Ok(vec![attach(offsets, process)?]),
            Self::Together { is_filtered: false } => Ok(vec![attach(offsets, UProbeScope::AllProcesses)?]),
            // Links of their own: each is detached on a thread of its own.
            Self::Apart => offsets.chunks(1).map(|offset| attach(offset, process)).collect(),
        }
    }
}
