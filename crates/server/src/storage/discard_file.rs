//! A log to nowhere, for servers that write logs to regular files only.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, fchown};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate};

use crate::install::os_user::ServerUser;

/// A directory in memory on every Linux (shm_overview(7)).
pub(crate) const IN_MEMORY: &str = "/dev/shm";

/// How often the file is emptied; at 100 MB a second it holds 2 MB.
const EMPTIED_EVERY: Duration = Duration::from_millis(20);

/// Memory is given back by pages.
const PAGE: u64 = 4096;

/// A file whose contents are thrown away as they come: it gets longer, and has nothing but a hole in it.
///
/// What it costs is what the server needs to write to memory, and a thread of ours that wakes up fifty times a second.
#[derive(Debug)]
pub(crate) struct Sink {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    discarded: Arc<AtomicU64>,
}

impl Sink {
    /// Makes the file, which belongs to the server's user; its file system has to know holes.
    pub(crate) fn create(path: &Path, user: &ServerUser) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        fchown(&file, Some(user.uid), Some(user.gid))?;
        let discarded = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&discarded);
        let (stop, stopped) = mpsc::channel();
        let empty = move || {
            let mut done = 0;
            while stopped.recv_timeout(EMPTIED_EVERY) == Err(RecvTimeoutError::Timeout) {
                // A hole that cannot be made now is made the next time.
                done = discard(&file, done).unwrap_or(done);
                count.store(done, Ordering::Relaxed);
            }
        };
        let thread = thread::Builder::new().name("sink".to_owned()).spawn(empty)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
            discarded,
        })
    }

    /// Bytes thrown away until now.
    pub(crate) fn discarded(&self) -> u64 {
        self.discarded.load(Ordering::Relaxed)
    }
}

/// Throws away what was written behind `done`, and returns the file's length.
fn discard(file: &File, done: u64) -> io::Result<u64> {
    let length = file.metadata()?.len();
    // The last page was not full when it was emptied.
    let from = done / PAGE * PAGE;
    if length > done {
        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(file, hole, from, length - from)?;
    }
    Ok(length)
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;
    use std::time::Instant;

    use super::*;

    #[test]
    fn everything_is_thrown_away_and_counted_whoever_opens_it_how_often() {
        let directory = tempfile::tempdir_in(IN_MEMORY).unwrap();
        let path = directory.path().join("slow.log");
        let sink = Sink::create(&path, &ServerUser::me()).unwrap();
        let wait = |until: &dyn Fn() -> bool| {
            let start = Instant::now();
            while !until() {
                assert!(start.elapsed() < Duration::from_secs(30), "{}", sink.discarded());
                thread::sleep(Duration::from_millis(1));
            }
        };
        for round in 1..=3 {
            let mut log = OpenOptions::new().append(true).open(&path).unwrap();
            log.write_all(&vec![b'x'; (3 << 20) + 5]).unwrap();
            wait(&|| sink.discarded() == round * ((3 << 20) + 5));
        }
        // All but the last page, which is not full.
        assert!(path.metadata().unwrap().blocks() * 512 <= PAGE);
    }
}
