//! Quiescing of a server and its disks, so that a measurement does not pay for the one before.

use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_common::Variable;
use logtrace_server::Server;

/// Longest wait for dirty pages.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Interval between two looks at the number of dirty pages.
const POLL: Duration = Duration::from_millis(50);

/// Number of pages that may stay dirty: background threads of both servers touch a few all the time.
const FEW_PAGES: u64 = 100;

/// Percentages of dirty pages above which both servers write them without need. The first bounds the second: servers lower
/// `innodb_max_dirty_pages_pct_lwm` by themselves when the other one is set below it, and do not raise it again.
const DIRTY_LIMITS: [&str; 2] = ["innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"];

/// Number of connections that are none of an ended load: logtrace's own.
const OWN_CONNECTIONS: u64 = 2;

/// Interval between two looks at the number of connections.
const SHORT_POLL: Duration = Duration::from_millis(5);

/// Longest wait for connections to end: hundreds of them take seconds on a single CPU.
const CONNECTION_PATIENCE: Duration = Duration::from_secs(20);

/// Longest wait for an answer of the server.
const ANSWER_PATIENCE: Duration = Duration::from_secs(60);

/// Waits for work that needs answers of the server, for [`ANSWER_PATIENCE`] at most. A server whose threads all spin takes
/// connections, and answers nobody.
pub(crate) async fn answered<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    answered_within(ANSWER_PATIENCE, work).await
}

async fn answered_within<T>(
    patience: Duration,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let answer = tokio::time::timeout(patience, work).await;
    answer.with_context(|| format!("the server has not answered for {} s", patience.as_secs()))?
}

/// Waits until the connections of an ended load are gone, for [`CONNECTION_PATIENCE`] at most. They count against
/// `max_connections`, which may be lower for the next load: call it before the limit is set.
pub(crate) async fn connections_ended(server: &Server) {
    let begun = Instant::now();
    let is_free = async || {
        let connected = status_number(server, "Threads_connected").await;
        connected.is_some_and(|connected| connected <= OWN_CONNECTIONS)
    };
    while begun.elapsed() < CONNECTION_PATIENCE && !is_free().await {
        tokio::time::sleep(SHORT_POLL).await;
    }
}

/// Makes the server write its dirty pages, for [`PATIENCE`] at most, and the kernel write all of its own. The server has its
/// settings again afterwards.
pub(crate) async fn quiesce(server: &mut Server) -> anyhow::Result<()> {
    answered(write_dirty_pages(server)).await?;
    // This may take long, so it runs on a thread that may block.
    let synced = tokio::task::spawn_blocking(rustix::fs::sync).await;
    synced.context("cannot sync the disks")
}

async fn write_dirty_pages(server: &mut Server) -> anyhow::Result<()> {
    if dirty_pages(server).await <= FEW_PAGES {
        return Ok(());
    }
    let (eager, usual): (Vec<_>, Vec<_>) = DIRTY_LIMITS
        .iter()
        .filter_map(|name| {
            let value = server.facts().variables.get(*name)?;
            Some((Variable::new(name, "0"), Variable::new(name, value)))
        })
        .unzip();
    server.set_live(&eager).await?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE && dirty_pages(server).await > FEW_PAGES {
        tokio::time::sleep(POLL).await;
    }
    server.set_live(&usual).await?;
    Ok(())
}

/// Returns the number of dirty pages, or 0 if the server does not report it.
async fn dirty_pages(server: &Server) -> u64 {
    let dirty = status_number(server, "Innodb_buffer_pool_pages_dirty").await;
    dirty.unwrap_or(0)
}

/// Returns a number of the server's status, or `None` if the server does not report it or takes no connection.
async fn status_number(server: &Server, name: &str) -> Option<u64> {
    let status = server.status().await.ok()?;
    status.get(name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_answers_nobody_is_given_up() {
        let patience = Duration::from_millis(1);
        let given_up = answered_within(patience, std::future::pending::<anyhow::Result<()>>()).await;
        assert!(given_up.unwrap_err().to_string().contains("has not answered"));
        assert_eq!(
            answered_within(ANSWER_PATIENCE, async { Ok(7) }).await.unwrap(),
            7
        );
    }
}
