//! Limit on open files: each connection of the load and each CPU's ring takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of files that a run opens besides connections and rings: probes, logs, `/proc`, the event loops.
const OTHERS: u64 = 256;

/// Raises the soft limit to the hard limit. Shells have a soft limit of 1,024 for old programs that use `select()`.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // With the old limit a run works too, if it has few connections.
    let _ = setrlimit(Resource::Nofile, raised);
}

/// Returns the limit if it is too low for this many connections.
pub(crate) fn too_low(connections: usize) -> Option<TooLow> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    too_low_for(connections, cpus, getrlimit(Resource::Nofile).current)
}

/// Limit that is too low, and what is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLow {
    pub(crate) limit: u64,
    pub(crate) needed: u64,
}

/// `limit` is `None` if there is none. A CPU has a ring, and events that sample its functions.
fn too_low_for(connections: usize, cpus: usize, limit: Option<u64>) -> Option<TooLow> {
    let needed = connections as u64 + 2 * cpus as u64 + OTHERS;
    let limit = limit.filter(|&limit| limit < needed)?;
    Some(TooLow { limit, needed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_cpus_need_files() {
        assert_eq!(too_low_for(8, 2, Some(1_024)), None);
        assert_eq!(too_low_for(10_000, 2, None), None);
        let needed = 10_000 + 4 + OTHERS;
        assert_eq!(too_low_for(10_000, 2, Some(needed)), None);
        let limit = needed - 1;
        assert_eq!(
            too_low_for(10_000, 2, Some(limit)),
            Some(TooLow { limit, needed })
        );
        assert!(too_low_for(8, 1_024, Some(1_024)).is_some());
    }

    #[test]
    fn the_limit_is_the_hard_one_after_raising() {
        raise_limit();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
