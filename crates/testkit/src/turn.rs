//! Turns of tests on the machine: measuring tests run alone, waiting tests run beside each other.
//!
//! The locks cover all test programs of one target directory, so that `scripts/test` runs these programs side by side.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;
use std::{env, thread};

/// Environment variable with the path of a file to which each turn appends a line: seconds, kind, program and test.
pub const TIMES: &str = "LOGTRACE_TEST_TIMES";

thread_local! {
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// Turn of a test, which ends when it is dropped.
#[must_use = "the turn ends when it is dropped"]
#[derive(Debug)]
pub struct Turn {
    /// `None` within another turn of the same thread.
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    /// Lock on the machine, which closing the file releases.
    _machine: File,
    kind: &'static str,
    start: Instant,
}

/// Waits until no other test has a turn, and starts one that excludes all others: for tests that compare times, rates or
/// shares.
///
/// # Panics
///
/// Panics if the lock files beside the test program cannot be made.
pub fn alone() -> Turn {
    Turn::start("alone", File::lock, File::lock)
}

/// Waits until no test measures alone, and starts a turn beside others of this kind: for tests that mostly wait, and
/// whose assertions hold on a busy machine.
///
/// # Panics
///
/// Panics if the lock files beside the test program cannot be made.
pub fn beside_others() -> Turn {
    Turn::start("beside", File::lock_shared, File::lock_shared)
}

type Lock = fn(&File) -> io::Result<()>;

impl Turn {
    /// Takes the gate and then the machine. A test that waits for the machine alone holds the gate, so that tests that
    /// start later do not overtake it for ever.
    fn start(kind: &'static str, lock_gate: Lock, lock_machine: Lock) -> Self {
        if HAS_TURN.replace(true) {
            return Self { held: None };
        }
        let gate = locked("gate", lock_gate);
        let machine = locked("machine", lock_machine);
        drop(gate);
        Self {
            held: Some(Held {
                _machine: machine,
                kind,
                start: Instant::now(),
            }),
        }
    }
}

/// Takes a lock of this name.
fn locked(name: &str, lock: Lock) -> File {
    lock_file(name)
        .and_then(|file| lock(&file).map(|()| file))
        .unwrap_or_else(|error| panic!("cannot lock the {name} beside the test program: {error}"))
}

/// Opens a lock file beside the test program. Each opening has a lock of its own, as flock(2) says.
fn lock_file(name: &str) -> io::Result<File> {
    let path = env::current_exe()?.with_file_name(format!("test-turns.{name}"));
    OpenOptions::new().create(true).append(true).open(path)
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else {
            return;
        };
        HAS_TURN.set(false);
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
            let machine = || lock_file("machine").unwrap().try_lock_shared();
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
