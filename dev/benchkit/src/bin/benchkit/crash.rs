//! Crash: what a server that is killed loses of the commits that it has confirmed.

use std::num::NonZeroU32;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use logtrace_benchkit::SharedServer;
use logtrace_benchkit::churn::options;
use logtrace_common::Variable;
use logtrace_server::ServerChoice;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};
use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::{Builder, Runtime};

/// Commits that a private server confirmed and no longer has after `kill -9` and its recovery, by settings of durability.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerChoice,

    /// Crashes for each of the settings.
    #[arg(long, value_name = "N", default_value = "5")]
    repeats: NonZeroU32,

    /// Load before a crash. A part of a second is added each time, because the logs are flushed once a second.
    #[arg(long, value_name = "T", default_value = "3s", value_parser = humantime::parse_duration)]
    load: Duration,
}

/// Values of `innodb_flush_log_at_trx_commit` and `sync_binlog`.
const SETTINGS: [(u32, u32); 4] = [(1, 1), (1, 0), (2, 0), (0, 0)];

/// Connections, each with a row of its own.
const WRITERS: usize = 8;

/// Commits that a crash took.
#[derive(Clone, Copy, Debug)]
struct Loss {
    confirmed: usize,
    lost: usize,
    /// Time from the first lost confirmation to the crash.
    length: Duration,
}

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut server = SharedServer::start(arguments.server.clone(), Vec::new())?;
    let facts = server.facts();
    println!(
        "{} {}, {WRITERS} connections, {} crashes each",
        facts.flavor, facts.version, arguments.repeats
    );
    println!(
        "{:>10} {:>12} {:>12} {:>18} {:>22}",
        "trx_commit", "sync_binlog", "confirmed", "lost in a crash", "seconds before it"
    );
    for (trx_commit, sync_binlog) in SETTINGS {
        let mut losses = Vec::new();
        for repeat in 0..arguments.repeats.get() {
            server = server.restart(&settings(trx_commit, sync_binlog, 2 * repeat)?)?;
            let load = arguments.load + Duration::from_secs(1) * repeat / arguments.repeats.get();
            let (killed, confirmed) = crash(&server, &runtime, load)?;
            server = server.restart(&settings(trx_commit, sync_binlog, 2 * repeat + 1)?)?;
            losses.push(loss(&server, &runtime, killed, &confirmed)?);
        }
        print_row(trx_commit, sync_binlog, &losses);
    }
    server.stop()
}

/// Returns settings of durability. `back_log` differs each time, because a change of it makes the server start again: the
/// others may take effect at once.
fn settings(trx_commit: u32, sync_binlog: u32, start: u32) -> anyhow::Result<Vec<Variable>> {
    let texts = [
        format!("innodb_flush_log_at_trx_commit={trx_commit}"),
        format!("sync_binlog={sync_binlog}"),
        format!("back_log={}", 200 + start),
    ];
    Ok(texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?)
}

/// Kills the server under load. Returns when that was, and when each commit of each writer was confirmed.
fn crash(
    server: &SharedServer,
    runtime: &Runtime,
    load: Duration,
) -> anyhow::Result<(Instant, Vec<Vec<Instant>>)> {
    let options = options(server.connection())?;
    runtime.block_on(make_table(options.clone()))?;
    let writers = (0..WRITERS).map(|row| write(options.clone(), row));
    let writers: Vec<JoinHandle<anyhow::Result<Vec<Instant>>>> = writers.collect();
    thread::sleep(load);
    let pid = server.facts().pid.and_then(|pid| i32::try_from(pid).ok());
    let pid = pid.and_then(Pid::from_raw).context("the server has no process")?;
    let killed = Instant::now();
    kill_process(pid, Signal::KILL)?;
    let confirmed = writers.into_iter().map(|writer| {
        let ended = writer.join();
        ended.map_err(|_| anyhow::anyhow!("a writer panicked"))?
    });
    Ok((killed, confirmed.collect::<anyhow::Result<_>>()?))
}

async fn make_table(options: OptsBuilder) -> anyhow::Result<()> {
    let mut conn = Conn::new(options).await?;
    conn.query_drop("CREATE DATABASE IF NOT EXISTS logtrace_crash")
        .await?;
    conn.query_drop("DROP TABLE IF EXISTS logtrace_crash.counters")
        .await?;
    conn.query_drop(
        "CREATE TABLE logtrace_crash.counters (id INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB",
    )
    .await?;
    for row in 0..WRITERS {
        conn.query_drop(format!("INSERT INTO logtrace_crash.counters VALUES ({row}, 0)"))
            .await?;
    }
    // The rows must survive whatever the settings are.
    conn.query_drop("FLUSH TABLES").await?;
    conn.query_drop("FLUSH ENGINE LOGS").await?;
    Ok(conn.disconnect().await?)
}

/// Counts in a row until the server is gone. Returns when each commit was confirmed.
fn write(options: OptsBuilder, row: usize) -> JoinHandle<anyhow::Result<Vec<Instant>>> {
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut conn = Conn::new(options).await?;
            let update = format!("UPDATE logtrace_crash.counters SET n = n + 1 WHERE id = {row}");
            let mut confirmed = Vec::new();
            while conn.query_drop(&update).await.is_ok() {
                confirmed.push(Instant::now());
            }
            Ok(confirmed)
        })
    })
}

/// Compares what the server has after its recovery with what it confirmed.
fn loss(
    server: &SharedServer,
    runtime: &Runtime,
    killed: Instant,
    confirmed: &[Vec<Instant>],
) -> anyhow::Result<Loss> {
    let options = options(server.connection())?;
    let rows: Vec<u64> = runtime.block_on(async {
        let mut conn = Conn::new(options).await?;
        let rows = conn
            .query("SELECT n FROM logtrace_crash.counters ORDER BY id")
            .await?;
        conn.disconnect().await?;
        anyhow::Ok(rows)
    })?;
    anyhow::ensure!(rows.len() == WRITERS, "the table has {} rows", rows.len());
    let lost = confirmed.iter().zip(rows).map(|(confirmed, has)| {
        let has = usize::try_from(has).unwrap_or(usize::MAX).min(confirmed.len());
        &confirmed[has..]
    });
    let lost: Vec<&[Instant]> = lost.collect();
    let first = lost.iter().filter_map(|lost| lost.first()).min();
    Ok(Loss {
        confirmed: confirmed.iter().map(Vec::len).sum(),
        lost: lost.iter().map(|lost| lost.len()).sum(),
        length: first.map_or(Duration::ZERO, |first| killed.saturating_duration_since(*first)),
    })
}

fn print_row(trx_commit: u32, sync_binlog: u32, losses: &[Loss]) {
    let confirmed: usize = losses.iter().map(|loss| loss.confirmed).sum();
    let lost = losses.iter().map(|loss| loss.lost);
    let lost = format!(
        "{} to {}",
        lost.clone().min().unwrap_or(0),
        lost.max().unwrap_or(0)
    );
    let seconds = losses.iter().map(|loss| loss.length.as_secs_f64());
    let seconds = format!(
        "{:.2} to {:.2}",
        seconds.clone().fold(f64::INFINITY, f64::min),
        seconds.fold(0.0, f64::max)
    );
    println!("{trx_commit:>10} {sync_binlog:>12} {confirmed:>12} {lost:>18} {seconds:>22}");
}
