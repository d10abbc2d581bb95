//! Letting a server and the disks under it come to rest before a window: what the turn before left is not to be written
//! in the next one.

use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_server::{Server, Setting};

/// How long dirty pages are waited for.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How often the server is asked meanwhile.
const POLL: Duration = Duration::from_millis(50);

/// Pages that may stay dirty: background threads of both servers touch a few all the time.
const FEW_PAGES: u64 = 100;

/// Percentages of dirty pages above which both servers write them without need. The first bounds the second: servers lower
/// `innodb_max_dirty_pages_pct_lwm` by themselves when the other one is set below it, and do not raise it again.
const DIRTY_LIMITS: [&str; 2] = ["innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"];

/// Makes the server write its dirty pages, as far as that goes in a second or two, and the kernel all of its own. The
/// server has its settings again afterwards.
pub(crate) async fn settle(server: &mut Server) -> anyhow::Result<()> {
    if dirty_pages(server).await > FEW_PAGES {
        let (eager, usual): (Vec<_>, Vec<_>) = DIRTY_LIMITS
            .iter()
            .filter_map(|name| {
                let value = server.facts().variables.get(*name)?;
                Some((Setting::new(name, "0"), Setting::new(name, value)))
            })
            .unzip();
        server.set_live(&eager).await?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && dirty_pages(server).await > FEW_PAGES {
            tokio::time::sleep(POLL).await;
        }
        server.set_live(&usual).await?;
    }
    // It may take long, and nothing here waits for anything else meanwhile.
    let synced = tokio::task::spawn_blocking(rustix::fs::sync).await;
    synced.context("cannot sync the disks")
}

/// 0 of a server that does not tell.
async fn dirty_pages(server: &Server) -> u64 {
    let status = server.status().await.unwrap_or_default();
    let pages = status.get("Innodb_buffer_pool_pages_dirty");
    pages.and_then(|pages| pages.parse().ok()).unwrap_or(0)
}
