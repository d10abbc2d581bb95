//! Turns of tests that trace their own process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use logtrace_testkit::{Turn, beside_others};

/// Turn of a test that traces this process: one at a time here, beside the tests of other programs.
pub(crate) fn turn() -> (MutexGuard<'static, ()>, Turn) {
    static PROCESS: Mutex<()> = Mutex::new(());
    let process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    (process, beside_others())
}
