//! Rate at which a file system makes small writes durable, without a server.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};

/// Bytes of a write: a page of the file system.
const PAGE: usize = 4096;
/// Pages of the file. It is filled before the measurement, so that no write makes it longer.
const PAGES: u64 = 256;

/// Returns how many times a second a page of a file in `directory` can be overwritten and synced by one thread
/// (`fdatasync()`). The file has no name and is gone afterwards. Fails on file systems without such files (`O_TMPFILE`).
pub fn sync_rate(directory: &Path, length: Duration) -> io::Result<f64> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(open(directory, flags, Mode::RUSR | Mode::WUSR)?);
    for page in 0..PAGES {
        file.write_all_at(&[1; PAGE], page * PAGE as u64)?;
    }
    file.sync_all()?;
    let (begun, mut syncs) = (Instant::now(), 0_u64);
    while begun.elapsed() < length {
        file.write_all_at(&[2; PAGE], syncs % PAGES * PAGE as u64)?;
        file.sync_data()?;
        syncs += 1;
    }
    Ok(syncs as f64 / begun.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_synced_and_nothing_is_left() {
        let place = tempfile::tempdir().unwrap();
        let rate = sync_rate(place.path(), Duration::from_millis(20)).unwrap();
        assert!(rate > 0.0);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        assert!(sync_rate(&place.path().join("none"), Duration::ZERO).is_err());
    }
}
