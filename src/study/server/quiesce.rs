//! Quiescing of a server and its disks before a window, so that a measurement does not pay for the writes of the one before.

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

/// Makes the server write its dirty pages, for [`PATIENCE`] at most, and the kernel write all of its own. The server has its
/// settings again afterwards.
pub(crate) async fn quiesce(server: &mut Server) -> anyhow::Result<()> {
    if dirty_pages(server).await > FEW_PAGES {
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
    }
    // This may take long, so it runs on a thread that may block.
    let synced = tokio::task::spawn_blocking(rustix::fs::sync).await;
    synced.context("cannot sync the disks")
}

/// Returns the number of dirty pages, or 0 if the server does not report it.
async fn dirty_pages(server: &Server) -> u64 {
    let status = server.status().await.unwrap_or_default();
    let pages = status.get("Innodb_buffer_pool_pages_dirty");
    pages.and_then(|pages| pages.parse().ok()).unwrap_or(0)
}
