//! Clocks of this machine.

use std::time::{SystemTime, UNIX_EPOCH};

use logtrace_driver::now_ns;
use logtrace_events::Clocks;

/// Reads both clocks, one directly after the other.
pub fn clocks_now() -> Clocks {
    // A date before 1970 is as wrong as 1970.
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Clocks {
        monotonic_ns: now_ns(),
        realtime_ns: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
    }
}
