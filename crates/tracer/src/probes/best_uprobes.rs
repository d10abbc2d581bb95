//! The best way of the running kernel to place a probe in a process.

use std::process;
use std::sync::OnceLock;
use std::thread;

use crate::kernel_side::object::KernelSide;
use crate::kernel_side::uprobes::Uprobes;
use crate::overhead::call_page::{CALL, CallPage};
use crate::overhead::program_runs::{NOTHING, PROGRAMS, State};

/// Returns the best way that the kernel has. It is tried once, on this process.
pub(crate) fn best_uprobes() -> Uprobes {
    static KNOWN: OnceLock<Uprobes> = OnceLock::new();
    *KNOWN.get_or_init(tried)
}

fn tried() -> Uprobes {
    let tried = thread::Builder::new()
        .name("logtrace-try".into())
        .spawn(try_together);
    let runs = tried.ok().and_then(|thread| thread.join().ok()).flatten();
    match runs {
        Some(runs) => Uprobes::Together {
            is_filtered: runs > 0,
        },
        None => Uprobes::Apart,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_release::KernelRelease;

    #[test]
    fn the_way_is_that_of_the_kernels_release() {
        let release = KernelRelease::running().unwrap();
        let since = |minor| release >= KernelRelease { major: 6, minor };
        // Distributions may have taken it into an older kernel, and none has taken it out.
        match best_uprobes() {
            Uprobes::Apart => assert!(!since(6), "{release}"),
            Uprobes::Together { is_filtered } => assert!(is_filtered || !since(10), "{release}"),
        }
    }
}
