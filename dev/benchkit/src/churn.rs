//! Connections that come and go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use logtrace_common::{Connection, Endpoint};
use logtrace_driver::CancellationToken;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};
use tokio::time::{MissedTickBehavior, interval};

/// Connections at a rate, each for one update: with `thread_cache_size=0` the server makes a thread for each.
#[derive(Debug)]
pub struct Churn {
    made: Arc<AtomicU64>,
    cancel: CancellationToken,
    thread: JoinHandle<anyhow::Result<()>>,
}

impl Churn {
    /// Starts. `statement` is what each connection executes.
    pub fn start(server: &Connection, a_second: u32, statement: &'static str) -> anyhow::Result<Self> {
        let options = options(server)?;
        let (made, cancel) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = thread::spawn({
            let (made, cancel) = (Arc::clone(&made), cancel.clone());
            move || runtime.block_on(come_and_go(options, a_second, statement, &made, &cancel))
        });
        Ok(Self { made, cancel, thread })
    }

    /// Returns whether it ended by itself, because a connection failed.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends, and returns the number of connections. Fails if one failed.
    pub fn stop(self) -> anyhow::Result<u64> {
        self.cancel.cancel();
        let ended = self.thread.join();
        ended.map_err(|_| anyhow::anyhow!("the connections panicked"))??;
        Ok(self.made.load(Ordering::Relaxed))
    }
}

/// Returns the options of a connection over the socket of a private server.
pub fn options(server: &Connection) -> anyhow::Result<OptsBuilder> {
    let Endpoint::Socket(socket) = &server.endpoint else {
        anyhow::bail!("the server is reached over its socket alone");
    };
    Ok(OptsBuilder::default()
        .socket(Some(socket.to_string_lossy()))
        .user(Some(&server.user)))
}

async fn come_and_go(
    options: OptsBuilder,
    a_second: u32,
    statement: &str,
    made: &AtomicU64,
    cancel: &CancellationToken,
) -> anyhow::Result<()> {
    let mut ticks = interval(Duration::from_secs(1) / a_second);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !cancel.is_cancelled() {
        ticks.tick().await;
        let mut conn = Conn::new(options.clone()).await.context("cannot connect again")?;
        conn.query_drop(statement).await?;
        conn.disconnect().await?;
        made.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
