//! Full disks: a server waits for space forever.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use logtrace_server::FileSystemFacts;

/// Free space below which a server cannot extend its files.
const FULL_BELOW_BYTES: u64 = 1 << 20;

/// Free space below which a server may have failed to extend a file. Both servers extend files by up to 4 MiB.
const TIGHT_BELOW_BYTES: u64 = 16 << 20;

/// Time between two checks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Number of successive checks that must find the disk full.
const PATIENCE: u32 = 5;

/// Returns whether the disk of `path` is full.
pub(crate) fn is_full(path: &Path) -> bool {
    free_bytes(path).is_some_and(|free| free < FULL_BELOW_BYTES)
}

/// Does `work`. Fails with `remedy` if the disk of `path` stays full.
pub(crate) async fn unless_full<T>(
    path: &Path,
    remedy: &str,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done.map_err(|error| with_full_disk(path, remedy, error)),
        () = stays_full(path) => bail!(
            "the disk of {} is full, and the server waits for space: {remedy}",
            path.display()
        ),
    }
}

/// Adds to an error that the disk of `path` is full, if it is.
pub(crate) fn with_full_disk(path: &Path, remedy: &str, error: anyhow::Error) -> anyhow::Error {
    match free_bytes(path) {
        Some(free) if free < TIGHT_BELOW_BYTES => {
            error.context(format!("the disk of {} is full: {remedy}", path.display()))
        }
        _ => error,
    }
}

fn free_bytes(path: &Path) -> Option<u64> {
    Some(FileSystemFacts::of(path).ok()?.free_bytes)
}

/// Returns when the disk of `path` has been full for several checks.
pub(crate) async fn stays_full(path: &Path) {
    let mut full = 0;
    while full < PATIENCE {
        tokio::time::sleep(LOOK_EVERY).await;
        full = if is_full(path) { full + 1 } else { 0 };
    }
}
