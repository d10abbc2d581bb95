//! Giving up rights after the probes are attached.

use std::thread;

use aya::maps::{Array, MapData};
use rustix::thread::CapabilitySet;

use crate::kernel_side::KernelSide;
use crate::kernel_side::attaching::attach_tracepoint;
use crate::kernel_side::uprobes::Uprobes;
use crate::overhead::program_runs::ANY_CALL;
use crate::reader::sched_policy::allow_coming_back;
use crate::rights::{give_up_all_but, give_up_rights};

/// Rights without which a kernel may refuse what the reader does later.
const FOR_PROGRAMS: CapabilitySet = CapabilitySet::BPF
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::SYS_ADMIN);

/// Gives up the rights of the calling thread. Keeps those for programs on a kernel that wants them for each use of a
/// map (before Linux 5.19), or to attach the probes again, if `attaches_again`; and that to come back from `SCHED_IDLE`,
/// where no limit allows it.
pub(crate) fn give_up(side: &mut KernelSide, looking: &Array<MapData, u64>, attaches_again: bool) {
    let for_policy = match allow_coming_back() {
        true => CapabilitySet::empty(),
        false => CapabilitySet::SYS_NICE,
    };
    let goes_on = thread::scope(|scope| {
        let tried = scope.spawn(|| give_up_rights().is_ok() && works(side, looking, attaches_again));
        tried.join().unwrap_or(false)
    });
    let for_programs = match goes_on {
        true => CapabilitySet::empty(),
        false => FOR_PROGRAMS,
    };
    // A kernel that refuses this leaves the rights as they were.
    let _ = give_up_all_but(for_policy | for_programs);
}

/// Returns whether the kernel does without rights what the reader does later.
fn works(side: &mut KernelSide, looking: &Array<MapData, u64>, attaches_again: bool) -> bool {
    let reads = looking.get(&0, 0).is_ok();
    let attaches = side.program(ANY_CALL).and_then(attach_tracepoint);
    reads && attaches.is_ok() && !(attaches_again && side.uprobes == Uprobes::Apart)
}
