//! The buffer pool of a server: its size, and the wait until a server has read the pages that it had when it stopped.

use std::time::{Duration, Instant};

use logtrace_common::{ConnectError, Connection};
use logtrace_common::{Flavor, Variable};

/// Unit of a pool's size, which both servers take as it is. MySQL's pool is made of chunks, of 128M by default. With
/// chunks of 1M it comes out smaller than wanted (286M: 285M, 1000M: 997M). MariaDB has no chunks since 10.11.12.
const CHUNK: u64 = 8 << 20;

/// Longest wait. The server reads the rest under load.
const PATIENCE: Duration = Duration::from_secs(60);

/// Interval between two queries of the status.
const POLL: Duration = Duration::from_millis(20);

/// Longest time until a server begins to read.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);

/// Waits until the server has read the pages. A server that was configured not to read them, or that noted no pages, is
/// ready at once.
pub(crate) async fn pool_is_loaded(connection: &Connection) -> Result<(), ConnectError> {
    let start = Instant::now();
    loop {
        let status = connection.status().await?;
        let state = status.get("Innodb_buffer_pool_load_status");
        let Some(patience) = state.and_then(|state| patience(state)) else {
            return Ok(());
        };
        if start.elapsed() > patience {
            return Ok(());
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Returns the longest time that reading may take from the start, or `None` if it is over. The texts are the same in both
/// servers (storage/innobase/buf/buf0dump.cc).
fn patience(state: &str) -> Option<Duration> {
    if state.is_empty() || state.contains("not started") {
        Some(BEGINS_WITHIN)
    } else if state.starts_with("Loading") || state.starts_with("Loaded") {
        Some(PATIENCE)
    } else {
        None
    }
}

/// Returns the settings of the buffer pool that is nearest to `bytes`.
pub fn buffer_pool(flavor: Flavor, bytes: u64) -> Vec<Variable> {
    let chunks = ((bytes + CHUNK / 2) / CHUNK).max(1);
    let size = Variable::new("innodb_buffer_pool_size", &(chunks * CHUNK).to_string());
    let chunk = Variable::new("innodb_buffer_pool_chunk_size", &CHUNK.to_string());
    match flavor {
        Flavor::MySql => vec![chunk, size],
        Flavor::MariaDb => vec![size],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_server_tells_how_far_it_is() {
        let states = [
            ("", Some(BEGINS_WITHIN)),
            ("Loading of buffer pool not started", Some(BEGINS_WITHIN)),
            ("Loading buffer pool(s) from /d/ib_buffer_pool", Some(PATIENCE)),
            ("Loaded 129/4000 pages", Some(PATIENCE)),
            ("Buffer pool(s) load completed at 261122 10:00:00", None),
            ("Cannot open '/d/ib_buffer_pool' for reading: No such file", None),
        ];
        for (text, expected) in states {
            assert_eq!(patience(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_pool_has_the_nearest_size(bytes in 0_u64..1 << 50) {
            for flavor in [Flavor::MySql, Flavor::MariaDb] {
                let settings = buffer_pool(flavor, bytes);
                let size: u64 = settings.last().unwrap().value().parse().unwrap();
                prop_assert_eq!(size % CHUNK, 0);
                prop_assert!(size.abs_diff(bytes) <= CHUNK / 2 || size == CHUNK);
            }
        }
    }
}
