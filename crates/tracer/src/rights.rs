//! Rights of this process (capabilities(7)): which ones tracing needs, and giving them up.

use rustix::io;
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};

/// Right that something needs or can use.
#[derive(Clone, Copy, Debug)]
pub struct Right {
    /// Name of the capability.
    pub name: &'static str,
    /// Purpose, in words for reports.
    pub purpose: &'static str,
    /// Consequence of its absence.
    pub without: &'static str,
    /// Whether nothing goes without it.
    pub is_required: bool,
    /// The capability.
    pub set: CapabilitySet,
}

/// Rights of tracing on a kernel with links for all places of a probe (Linux 6.6).
pub(crate) const RIGHTS: [Right; 7] = [
    Right {
        name: "CAP_BPF",
        purpose: "loads BPF programs",
        without: "nothing can be traced",
        is_required: true,
        set: CapabilitySet::BPF,
    },
    Right {
        name: "CAP_PERFMON",
        purpose: "lets programs read the kernel's memory",
        without: "nothing can be traced",
        is_required: true,
        set: CapabilitySet::PERFMON,
    },
    Right {
        name: "CAP_SYS_PTRACE",
        purpose: "reads program and memory of a server of another user",
        without: "no server can be traced",
        is_required: true,
        set: CapabilitySet::SYS_PTRACE,
    },
    Right {
        name: "CAP_SYSLOG",
        purpose: "reads the addresses of the kernel's functions",
        without: "what waits in the kernel are for has no names, unless sysctl kernel.kptr_restrict is 0",
        is_required: false,
        set: CapabilitySet::SYSLOG,
    },
    SYS_ADMIN,
    Right {
        name: "CAP_DAC_READ_SEARCH",
        purpose: "reads tracefs, and files of the server's process that are for its own user",
        without: "system calls are traced at the tracepoints of all of them, which costs more; a server is not found by a \
                  TCP address; functions of replaced libraries have no names; MariaDB's waits for replicas look like \
                  waits for locks",
        is_required: false,
        set: CapabilitySet::DAC_READ_SEARCH,
    },
    Right {
        name: "CAP_SYS_NICE",
        purpose: "lets the reader give way to the server",
        without: "the reader competes with the server's threads, unless RLIMIT_NICE is 10 or more",
        is_required: false,
        set: CapabilitySet::SYS_NICE,
    },
];

const SYS_ADMIN: Right = Right {
    name: "CAP_SYS_ADMIN",
    purpose: "mounts tracefs where it is not mounted",
    without: "system calls are traced at the tracepoints of all of them, which costs more",
    is_required: false,
    set: CapabilitySet::SYS_ADMIN,
};

/// The same right on a kernel that has only perf events for probes.
pub(crate) const SYS_ADMIN_FOR_PROBES: Right = Right {
    purpose: "places probes in the server, on a kernel before Linux 6.6",
    without: "nothing can be traced",
    is_required: true,
    ..SYS_ADMIN
};

impl Right {
    /// Returns whether this thread has the right.
    pub fn is_held(self) -> bool {
        capabilities(None).is_ok_and(|sets| sets.effective.contains(self.set))
    }
}

/// Rights that root keeps: to write results into a directory of the user who ran sudo, and to give them to that user.
const OF_ROOT: CapabilitySet = CapabilitySet::DAC_OVERRIDE
    .union(CapabilitySet::CHOWN)
    .union(CapabilitySet::FOWNER);

/// Gives up all rights of the calling thread for good, and of threads and processes that it starts later. Root keeps
/// what writing the results needs.
pub fn give_up_rights() -> io::Result<()> {
    give_up_all_but(CapabilitySet::empty())
}

/// Gives up all rights of the calling thread but these, and what root keeps.
pub(crate) fn give_up_all_but(kept: CapabilitySet) -> io::Result<()> {
    let held = capabilities(None)?.permitted;
    let of_root = if geteuid().is_root() {
        OF_ROOT
    } else {
        CapabilitySet::empty()
    };
    let kept = held & (kept | of_root);
    set_no_new_privs(true)?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: kept,
            permitted: kept,
            inheritable: CapabilitySet::empty(),
        },
    )
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn rights_are_gone_for_this_thread_and_those_that_it_starts() {
        let before = capabilities(None).unwrap();
        thread::spawn(|| {
            give_up_rights().unwrap();
            let held = || capabilities(None).unwrap();
            assert!(OF_ROOT.contains(held().permitted) && held().inheritable.is_empty());
            let inherited = thread::spawn(move || held().permitted).join().unwrap();
            assert!(OF_ROOT.contains(inherited));
            assert!(RIGHTS.iter().all(|right| !right.is_held()));
            let again = CapabilitySets {
                effective: CapabilitySet::BPF,
                permitted: CapabilitySet::BPF,
                inheritable: CapabilitySet::empty(),
            };
            assert!(set_capabilities(None, again).is_err(), "they do not come back");
        })
        .join()
        .unwrap();
        assert_eq!(capabilities(None).unwrap(), before, "other threads keep theirs");
    }
}
