//! A disk without space: servers wait for some, for ever.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use logtrace_server::FileSystemFacts;

/// Less than this, and a server cannot extend its files.
const FULL_BELOW_BYTES: u64 = 1 << 20;

/// Less than this, and a server may have failed to extend a file: both do so by up to 4 MiB.
const TIGHT_BELOW_BYTES: u64 = 16 << 20;

/// How often is looked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Looks in a row that find the disk full before the server is given up.
const PATIENCE: u32 = 5;

/// Whether the disk that holds `path` is full.
pub(crate) fn is_full(path: &Path) -> bool {
    free_bytes(path).is_some_and(|free| free < FULL_BELOW_BYTES)
}

/// Does `work` unless the disk that holds `path` stays full, which `remedy` helps against.
pub(crate) async fn unless_full<T>(
    path: &Path,
    remedy: &str,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    tokio::select! {
        done = work => done.map_err(|error| told(path, remedy, error)),
        () = stays_full(path) => bail!(
            "the disk of {} is full, and the server waits for space: {remedy}",
            path.display()
        ),
    }
}

/// Says so where a full disk that holds `path` may be what an error comes from.
pub(crate) fn told(path: &Path, remedy: &str, error: anyhow::Error) -> anyhow::Error {
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

async fn stays_full(path: &Path) {
    let mut full = 0;
    while full < PATIENCE {
        tokio::time::sleep(LOOK_EVERY).await;
        full = if is_full(path) { full + 1 } else { 0 };
    }
}
