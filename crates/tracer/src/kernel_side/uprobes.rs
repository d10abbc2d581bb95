//! Ways to place a probe in a process, and which of them the kernel has.

use std::path::Path;
use std::process;
use std::thread;

use libbpf_rs::{Link, ProgramAttachType, ProgramMut, Result, UprobeMultiOpts};

use crate::kernel_side::object::KernelSide;
use crate::overhead::call_page::{CALL, CallPage};
use crate::overhead::program_runs::{NOTHING, PROGRAMS, State};

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
    /// Returns the best way that the kernel has, by trying it on this process.
    pub(crate) fn of_kernel() -> Self {
        let tried = thread::Builder::new()
            .name("logtrace-try".into())
            .spawn(try_together);
        let runs = tried.ok().and_then(|thread| thread.join().ok()).flatten();
        match runs {
            Some(runs) => Self::Together {
                is_filtered: runs > 0,
            },
            None => Self::Apart,
        }
    }

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

/// Places a probe in this process, with a filter for it, and calls it. Returns the number of runs; `None` if the kernel
/// refuses. It has to run on another thread than the main one.
fn try_together() -> Option<u64> {
    let way = Uprobes::Together { is_filtered: true };
    let side = KernelSide::load_alone(NOTHING, way).ok()?;
    let page = CallPage::map().ok()?;
    let program = side.program(NOTHING)?;
    let links = way.attach(&program, &page.path(), &[CALL], process::id()).ok()?;
    page.call();
    drop(links);
    let index = PROGRAMS.iter().position(|&name| name == NOTHING)?;
    let runs = side.per_cpu_map::<State>("program_runs").ok()?;
    let runs = runs.get(u32::try_from(index).ok()?);
    Some(runs.iter().map(|[count, ..]| count).sum())
}
