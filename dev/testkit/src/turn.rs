//! Turns of tests on the machine: measuring tests run alone, waiting tests run beside each other.
//!
//! The locks cover all test programs of one target directory, so that `scripts/test` runs these programs side by side.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;
use std::{env, thread};

use crate::priority::Raised;

/// Environment variable with the path of a file to which each turn appends a line: seconds, kind, program and test.
pub const TIMES: &str = "LOGTRACE_TEST_TIMES";

/// Environment variable with the number of tests of one program that run beside each other. Without it, it is the number
/// of the program's test threads.
pub const SIDE_BY_SIDE: &str = "LOGTRACE_TEST_SIDE_BY_SIDE";

thread_local! {
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// Number of tests of this program that run beside each other now.
static RUNNING: Mutex<usize> = Mutex::new(0);
/// Signal that one of them has ended.
static ENDED: Condvar = Condvar::new();

/// Turn of a test, which ends when it is dropped.
#[must_use = "the turn ends when it is dropped"]
#[derive(Debug)]
pub struct Turn {
    /// `None` within another turn of the same thread.
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    place: Option<SharedPlace>,
    /// Lock on the machine, which closing the file releases.
    _machine: File,
    kind: &'static str,
    start: Instant,
    /// Priority of a test that runs alone.
    raised: Option<Raised>,
}

/// One of the places of tests that run beside each other.
#[derive(Debug)]
struct SharedPlace;

/// Waits until no other test has a turn, and starts one that excludes all others: for tests that compare times, rates or
/// shares.
///
/// Until it ends, the calling thread and what it starts go before other work of the machine, if the caller has the right
/// to that.
///
/// Tests that run beside others go first, as long as there are any. With as many test threads as tests, the machine is
/// therefore busy until only tests that run alone are left.
///
/// # Panics
///
/// Panics if the lock file beside the test program cannot be made.
pub fn alone() -> Turn {
    let mut turn = Turn::start("alone", || (locked(File::lock), None));
    if let Some(held) = &mut turn.held {
        held.raised = Some(Raised::of_this_thread());
    }
    turn
}

/// Waits until no test measures alone, and starts a turn beside others of this kind: for tests that mostly wait, and
/// whose assertions hold on a busy machine.
///
/// # Panics
///
/// Panics if the lock file beside the test program cannot be made.
pub fn beside_others() -> Turn {
    // The lock first: a test that waits for a place keeps those away that run alone.
    Turn::start("beside", || {
        (locked(File::lock_shared), Some(SharedPlace::wait()))
    })
}

impl Turn {
    fn start(kind: &'static str, wait: impl FnOnce() -> (File, Option<SharedPlace>)) -> Self {
        if HAS_TURN.replace(true) {
            return Self { held: None };
        }
        let (machine, place) = wait();
        Self {
            held: Some(Held {
                place,
                _machine: machine,
                kind,
                start: Instant::now(),
                raised: None,
            }),
        }
    }
}

impl SharedPlace {
    fn wait() -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let most = most_side_by_side();
        let mut running = ENDED
            .wait_while(running, |running| *running >= most)
            .unwrap_or_else(PoisonError::into_inner);
        *running += 1;
        Self
    }
}

impl Drop for SharedPlace {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

fn most_side_by_side() -> usize {
    let most = env::var(SIDE_BY_SIDE).ok().and_then(|most| most.parse().ok());
    most.unwrap_or(usize::MAX)
}

/// Name of the lock file. The tests of this file have another, so that they wait for no other tests.
const LOCK: &str = if cfg!(test) {
    "test-turns.own"
} else {
    "test-turns.machine"
};

/// Takes the lock on the machine.
fn locked(lock: fn(&File) -> io::Result<()>) -> File {
    lock_file()
        .and_then(|file| lock(&file).map(|()| file))
        .unwrap_or_else(|error| panic!("cannot lock the machine beside the test program: {error}"))
}

/// Opens the lock file beside the test program. Each opening has a lock of its own, as flock(2) says.
fn lock_file() -> io::Result<File> {
    let path = env::current_exe()?.with_file_name(LOCK);
    OpenOptions::new().create(true).append(true).open(path)
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else {
            return;
        };
        HAS_TURN.set(false);
        drop(held.raised);
        drop(held.place);
        note(held.start.elapsed().as_secs_f64(), held.kind);
    }
}

/// Appends the time of a turn to the file that `TIMES` names, if any.
fn note(seconds: f64, kind: &str) {
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
        "{seconds:.1} {kind} {program} {}\n",
        thread::current().name().unwrap_or("?")
    );
    // The times are for people to look at: a test does not fail for want of them.
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
        let _ = file.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs::TryLockError;
    use std::thread;

    use super::{alone, beside_others, lock_file};

    /// One test for all: others would share the lock.
    #[test]
    fn turns_alone_exclude_others_and_turns_nest_within_a_thread() {
        let is_locked = || {
            let machine = || lock_file().unwrap().try_lock_shared();
            thread::spawn(move || matches!(machine(), Err(TryLockError::WouldBlock)))
        };
        let outer = alone();
        let inner = beside_others();
        assert!(is_locked().join().unwrap());
        drop(inner);
        assert!(is_locked().join().unwrap());
        drop(outer);
        let shared = beside_others();
        assert!(!is_locked().join().unwrap());
        drop(shared);
    }
}
