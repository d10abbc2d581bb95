//! Choice of the servers that a test runs on: one by default, all in a long run.

use std::env;

/// Environment variable that `scripts/test --long` sets.
pub const LONG: &str = "LOGTRACE_TEST_LONG";

/// Returns whether this is a long run.
#[must_use]
pub fn is_long() -> bool {
    env::var_os(LONG).is_some()
}

/// Returns the last server, or all servers in a long run: for tests of logtrace's own clocks, timers, costs and
/// studies, which each server shows.
pub fn one_or_all<T>(servers: &[T]) -> &[T] {
    if is_long() {
        servers
    } else {
        &servers[servers.len().saturating_sub(1)..]
    }
}
