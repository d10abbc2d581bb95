//! Rights with which root starts servers as another user, and stops them. Containers take some from it.

use logtrace_tracer::Right;
use rustix::thread::CapabilitySet;

use crate::preflight::check::Check;

/// Rights of private servers.
const RIGHTS: [Right; 6] = [
    required(
        "CAP_SETUID",
        CapabilitySet::SETUID,
        "starts servers as a user of their own",
        "no private server can be started, nor its version be read",
    ),
    required(
        "CAP_SETGID",
        CapabilitySet::SETGID,
        "gives servers that user's group alone",
        "no private server can be started, nor its version be read",
    ),
    required(
        "CAP_CHOWN",
        CapabilitySet::CHOWN,
        "gives servers their directories",
        "no private server can be started",
    ),
    required(
        "CAP_KILL",
        CapabilitySet::KILL,
        "stops servers, which belong to another user",
        "a run never ends, because its server cannot be stopped",
    ),
    required(
        "CAP_DAC_OVERRIDE",
        CapabilitySet::DAC_OVERRIDE,
        "removes files of servers, and writes for the user of sudo",
        "the files of servers stay behind",
    ),
    Right {
        is_required: false,
        ..required(
            "CAP_SYS_ADMIN",
            CapabilitySet::SYS_ADMIN,
            "mounts the file systems of --fs and of plans",
            "servers have no file system of their own",
        )
    },
];

const fn required(
    name: &'static str,
    set: CapabilitySet,
    purpose: &'static str,
    without: &'static str,
) -> Right {
    Right {
        name,
        set,
        purpose,
        without,
        is_required: true,
    }
}

/// Checks each right with which root starts, measures and stops private servers. Another user needs none of them where it
/// may start servers at all: they run as that user.
pub fn server_rights() -> Vec<Check> {
    RIGHTS.iter().copied().map(Check::right).collect()
}
