//! What a request costs the client: logtrace's driver next to Debian's sysbench, in turn on one private server.

#![expect(clippy::print_stdout, reason = "the table is the result")]

mod driven;
#[path = "../overhead/paired/median.rs"]
mod median;
mod ours;
#[path = "../overhead/paired/server.rs"]
mod server;
mod sysbench;
mod sysbench_run;
mod tables;
#[path = "../../src/run/target.rs"]
mod target;

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use logtrace_driver::WorkloadInfo;
use logtrace_server::{ServerChoice, Setting};

use median::Median;
use server::SharedServer;

/// Throughput of logtrace's driver and of sysbench, and the CPU that a request takes each of them: interleaved pairs,
/// closed loop, prepared statements, the same tables.
#[derive(Debug, Parser)]
struct Arguments {
    /// Pairs of windows.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..=200))]
    pairs: u16,

    /// Length of each window.
    #[arg(long, value_name = "T", default_value = "4s", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerChoice,

    /// Connections of either client.
    #[arg(long, value_name = "N", default_value = "8")]
    connections: NonZeroUsize,

    /// What requests are, by logtrace's name.
    #[arg(long, value_name = "NAME", default_value = "point_select", value_parser = WorkloadInfo::find)]
    workload: &'static WorkloadInfo,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    settings: Vec<Setting>,

    /// What `cargo bench` adds of itself; without it this is a test.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What one client did in one window.
#[derive(Clone, Copy, Debug)]
struct Window {
    per_s: f64,
    cpu_us: f64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if !arguments.bench {
        Arguments::command().debug_assert();
        return Ok(());
    }
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    println!(
        "{} {}, {}, {} connections, closed loop",
        facts.flavor, facts.version, arguments.workload.name, arguments.connections
    );
    compare(&server, &arguments)?;
    server.stop()
}

fn compare(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<()> {
    tables::load(server.connection(), arguments.workload)?;
    println!(
        "{:>4} {:>21} {:>21} {:>13}",
        "", "requests/s", "CPU us a request", "ratios"
    );
    println!(
        "{:>4} {:>10} {:>10} {:>10} {:>10} {:>6} {:>6}",
        "pair", "logtrace", "sysbench", "logtrace", "sysbench", "rate", "CPU"
    );
    let (mut rates, mut costs) = (Vec::new(), Vec::new());
    for number in 1..=arguments.pairs {
        let ours = ours::run(server.connection(), arguments)?;
        let theirs = sysbench::run(server.connection(), arguments)?;
        let (rate, cost) = (ours.per_s / theirs.per_s, ours.cpu_us / theirs.cpu_us);
        println!(
            "{number:>4} {:>10.0} {:>10.0} {:>10.1} {:>10.1} {rate:>6.3} {cost:>6.3}",
            ours.per_s, theirs.per_s, ours.cpu_us, theirs.cpu_us
        );
        rates.push(rate);
        costs.push(cost);
    }
    print_median("requests/s", &rates)?;
    print_median("CPU a request", &costs)
}

fn print_median(what: &str, ratios: &[f64]) -> anyhow::Result<()> {
    let Median { median, interval } = Median::of(ratios).context("no pairs")?;
    print!("{what}, logtrace / sysbench: {median:.3}");
    if let Some((from, to)) = interval {
        print!(" [{from:.3}, {to:.3}]");
    }
    println!();
    Ok(())
}
