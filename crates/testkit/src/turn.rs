//! Turns of tests on the machine: measuring tests run alone, waiting tests run beside each other.
//!
//! The lock covers the tests of one program; `cargo test` runs one program after the other.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;
use std::{env, thread};

/// Environment variable with the path of a file to which the time of each turn is appended: seconds, program and test.
pub const TIMES: &str = "LOGTRACE_TEST_TIMES";

static MACHINE: RwLock<()> = RwLock::new(());

thread_local! {
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// Turn of a test, which ends when it is dropped.
#[must_use = "the turn ends when it is dropped"]
#[derive(Debug)]
pub struct Turn {
    /// `None` within another turn of the same thread.
    held: Option<(Held, Instant)>,
}

#[derive(Debug)]
#[expect(dead_code, reason = "a lock is held until its guard is dropped")]
enum Held {
    Alone(RwLockWriteGuard<'static, ()>),
    BesideOthers(RwLockReadGuard<'static, ()>),
}

/// Waits until no other test of this program has a turn, and starts one that excludes all others: for tests that
/// compare times, rates or shares.
pub fn alone() -> Turn {
    Turn::start(|| Held::Alone(MACHINE.write().unwrap_or_else(PoisonError::into_inner)))
}

/// Waits until no test measures alone, and starts a turn beside others of this kind: for tests that mostly wait, and
/// whose assertions hold on a busy machine.
pub fn beside_others() -> Turn {
    Turn::start(|| Held::BesideOthers(MACHINE.read().unwrap_or_else(PoisonError::into_inner)))
}

impl Turn {
    fn start(wait: impl FnOnce() -> Held) -> Self {
        if HAS_TURN.replace(true) {
            return Self { held: None };
        }
        let held = wait();
        Self {
            held: Some((held, Instant::now())),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some((_held, start)) = self.held.take() else {
            return;
        };
        HAS_TURN.set(false);
        note(start.elapsed().as_secs_f64());
    }
}

/// Appends the time of a turn to the file that `TIMES` names, if any.
fn note(seconds: f64) {
    let Some(path) = env::var_os(TIMES) else {
        return;
    };
    let program = env::args().next().unwrap_or_default();
    let program = Path::new(&program)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let program = program.rsplit_once('-').map_or(&*program, |(name, _hash)| name);
    let line = format!(
        "{seconds:.1} {program} {}\n",
        thread::current().name().unwrap_or("?")
    );
    // The times are for people to look at: a test does not fail for want of them.
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
        let _ = file.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::TryLockError;
    use std::thread;

    use super::{MACHINE, alone, beside_others};

    /// One test for all: others would share the lock.
    #[test]
    fn turns_alone_exclude_others_and_turns_nest_within_a_thread() {
        let is_locked = || thread::spawn(|| matches!(MACHINE.try_read(), Err(TryLockError::WouldBlock)));
        let shared = beside_others();
        assert!(!is_locked().join().unwrap());
        drop(shared);
        let outer = alone();
        let inner = beside_others();
        assert!(is_locked().join().unwrap());
        drop(inner);
        assert!(is_locked().join().unwrap());
        drop(outer);
        assert!(!is_locked().join().unwrap());
    }
}
