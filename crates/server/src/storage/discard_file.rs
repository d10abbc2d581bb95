//! Log file whose contents are discarded, for servers that write logs only to regular files.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate};

use crate::install::os_user::ServerUser;

/// Directory in memory on every Linux (shm_overview(7)).
pub(crate) const IN_MEMORY: &str = "/dev/shm";

/// Interval of emptying. At 100 MB/s the file holds 2 MB.
const EMPTIED_EVERY: Duration = Duration::from_millis(20);

/// Unit in which memory is freed.
const PAGE: u64 = 4096;

/// File whose contents are discarded as they are written: it grows, and consists of one hole.
///
/// Its cost is the server's write to memory, and a thread that wakes up fifty times a second.
#[derive(Debug)]
pub(crate) struct DiscardFile {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    discarded: Arc<AtomicU64>,
}

impl DiscardFile {
    /// Makes the file, which belongs to the server's user. Its file system must support holes.
    pub(crate) fn create(path: &Path, user: &ServerUser) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = user.act(|| options.open(path))??;
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

    /// Returns the bytes that were discarded so far.
    pub(crate) fn discarded(&self) -> u64 {
        self.discarded.load(Ordering::Relaxed)
    }
}

/// Discards the bytes after `done`, and returns the length of the file.
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

impl Drop for DiscardFile {
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
        let sink = DiscardFile::create(&path, &ServerUser::me()).unwrap();
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
