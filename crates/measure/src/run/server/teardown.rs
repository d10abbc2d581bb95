//! Teardown of a server after a run.

use std::time::Duration;

use anyhow::{Context, anyhow};
use logtrace_driver::Target;
use logtrace_server::Server;

use crate::errors::with_causes;
use crate::measurement::Signals;
use crate::run::load::drive::drop_tables;

/// Longest time for a running server to drop the tables and restore its settings.
const PATIENCE: Duration = Duration::from_secs(60);

/// Longest time for that after a second signal.
const PATIENCE_ON_ABORT: Duration = Duration::from_secs(5);

/// Stops a private server. Restores the settings of a running one, and drops the database of `tables`. Fails with what
/// remains changed if that is impossible.
pub async fn tear_down(server: Server, tables: Option<Target>, signals: &Signals) -> anyhow::Result<()> {
    let left = server.left_changed();
    if !server.is_running() {
        return left.map_or(Ok(()), |left| {
            Err(anyhow!("the server ended during the run. {left}"))
        });
    }
    if server.facts().private {
        // A second signal drops the server, which kills it.
        let stopped = signals.unless_aborted(server.finish()).await;
        return Ok(stopped.unwrap_or(Ok(()))?);
    }
    let put_back = tokio::select! {
        put_back = put_back(server, tables) => put_back,
        () = out_of_patience(signals) => Err(anyhow!("the server did not answer in time")),
    };
    put_back.map_err(|error| match left {
        Some(left) => anyhow!("{}. {left}", with_causes(error)),
        None => error,
    })
}

/// Drops the tables and restores the settings, each even if the other fails.
async fn put_back(mut server: Server, tables: Option<Target>) -> anyhow::Result<()> {
    let dropped = match tables {
        Some(target) => drop_tables(target).await.map(|_| ()),
        None => Ok(()),
    };
    if dropped.is_ok() {
        server.database_dropped();
    }
    server.finish().await?;
    dropped.context("cannot remove the tables of the run")
}

async fn out_of_patience(signals: &Signals) {
    tokio::select! {
        () = signals.abort.cancelled() => tokio::time::sleep(PATIENCE_ON_ABORT).await,
        () = tokio::time::sleep(PATIENCE) => {}
    }
}
