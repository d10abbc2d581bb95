//! The latency log, which must not end a run when its disk is full.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, OnceLock};

/// Writer of `latency.hlog`. After an error it drops what is written, and remembers the error.
#[derive(Debug)]
pub(crate) struct LatencyLog {
    file: Option<BufWriter<File>>,
    failed: Arc<OnceLock<io::Error>>,
}

impl LatencyLog {
    /// Creates the writer, and the place where its first error will be.
    pub(crate) fn new(file: File) -> (Self, Arc<OnceLock<io::Error>>) {
        let failed = Arc::<OnceLock<io::Error>>::default();
        let log = Self {
            file: Some(BufWriter::new(file)),
            failed: Arc::clone(&failed),
        };
        (log, failed)
    }

    fn attempt(&mut self, work: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
        if let Some(file) = &mut self.file
            && let Err(error) = work(file)
        {
            // Only the first error is set: there is no file afterwards.
            let _ = self.failed.set(error);
            if let Some(file) = self.file.take() {
                // What could not be written is not tried again.
                drop(file.into_parts());
            }
        }
    }
}

impl Write for LatencyLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|file| file.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(Write::flush);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_ends_the_log_and_no_more() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (mut log, failed) = LatencyLog::new(full);
        for _ in 0..2 {
            log.write_all(b"Tag=lag").unwrap();
            log.flush().unwrap();
        }
        assert_eq!(failed.get().unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
