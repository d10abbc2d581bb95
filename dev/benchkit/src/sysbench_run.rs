//! Debian's sysbench on the tables of logtrace's driver, which are the same: how to start it, and what it tells.

use std::num::NonZeroUsize;

use anyhow::{Context, bail};
use logtrace_common::{Connection, Endpoint};
use logtrace_driver::WorkloadInfo;

use crate::tables::{DATABASE, DATASET};

/// Returns the command that runs a workload for whole seconds. No word has a space.
pub fn words(
    server: &Connection,
    workload: &WorkloadInfo,
    connections: NonZeroUsize,
    seconds: u64,
    more: &[String],
) -> anyhow::Result<Vec<String>> {
    let Endpoint::Socket(socket) = &server.endpoint else {
        bail!("a private server has a socket");
    };
    let script = workload
        .alias
        .with_context(|| format!("sysbench has no {}", workload.name))?;
    let options = [
        format!("--mysql-db={DATABASE}"),
        format!("--mysql-user={}", server.user),
        format!("--mysql-socket={}", socket.display()),
        format!("--threads={connections}"),
        format!("--tables={}", DATASET.tables),
        format!("--table-size={}", DATASET.rows),
        format!("--time={seconds}"),
    ];
    let first = ["sysbench", script, "--rand-type=uniform", "--events=0"].map(str::to_owned);
    let words = [&first[..], &options, more, &["run".to_owned()]].concat();
    let spaced = words.iter().find(|word| word.contains(char::is_whitespace));
    anyhow::ensure!(spaced.is_none(), "a space in {spaced:?}");
    Ok(words)
}

/// Events that it did.
pub fn events(told: &str) -> anyhow::Result<f64> {
    number_after(told, "total number of events:")
}

/// Reads a number of the report; a unit may follow it.
pub fn number_after(told: &str, title: &str) -> anyhow::Result<f64> {
    let (_, rest) = told
        .split_once(title)
        .with_context(|| format!("sysbench told no {title:?}: {told}"))?;
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches('s')
        .parse()
        .with_context(|| format!("{word:?} after {title:?}"))
}
