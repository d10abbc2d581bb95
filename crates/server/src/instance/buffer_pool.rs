//! Waiting until a server has read the pages that it had in its buffer pool when it stopped.

use std::time::{Duration, Instant};

use crate::connection::connect::{ConnectError, Connection};

/// Longer than this nobody waits: the server reads the rest under load.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often the server is asked.
const POLL: Duration = Duration::from_millis(20);

/// How long a server may take to begin.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);

/// Waits until nothing is read any more. A server that was told not to, or that has noted no pages, is ready at once.
pub(crate) async fn pool_is_loaded(connection: &Connection) -> Result<(), ConnectError> {
    let start = Instant::now();
    loop {
        let status = connection.status().await?;
        let told = status.get("Innodb_buffer_pool_load_status");
        let patience = match told.map_or(Loading::Over, |told| Loading::read(told)) {
            Loading::Over => return Ok(()),
            Loading::Ahead => BEGINS_WITHIN,
            Loading::GoesOn => PATIENCE,
        };
        if start.elapsed() > patience {
            return Ok(());
        }
        tokio::time::sleep(POLL).await;
    }
}

/// What a server says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loading {
    Ahead,
    GoesOn,
    Over,
}

impl Loading {
    /// The wordings are the same in both servers (storage/innobase/buf/buf0dump.cc).
    fn read(told: &str) -> Self {
        if told.is_empty() || told.contains("not started") {
            Self::Ahead
        } else if told.starts_with("Loading") || told.starts_with("Loaded") {
            Self::GoesOn
        } else {
            Self::Over
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_tells_how_far_it_is() {
        let told = [
            ("", Loading::Ahead),
            ("Loading of buffer pool not started", Loading::Ahead),
            ("Loading buffer pool(s) from /d/ib_buffer_pool", Loading::GoesOn),
            ("Loaded 129/4000 pages", Loading::GoesOn),
            ("Buffer pool(s) load completed at 261122 10:00:00", Loading::Over),
            (
                "Cannot open '/d/ib_buffer_pool' for reading: No such file",
                Loading::Over,
            ),
        ];
        for (text, loading) in told {
            assert_eq!(Loading::read(text), loading, "{text}");
        }
    }
}
