//! The throughput of a server that is traced, to that of the same server untraced, and the tracer's own account.

#![expect(clippy::print_stdout, reason = "the table is the result")]

mod cost;
mod paired;

use std::time::Duration;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use logtrace_server::{ServerChoice, Setting};
use logtrace_tracer::Detail;

use cost::Cost;
use paired::{Median, Pair, SharedServer, SteadyLoad};

/// Throughput of a server with the tracer, to that without it: interleaved pairs under one load of update_key, closed
/// loop, 8 connections.
#[derive(Debug, Parser)]
struct Arguments {
    /// Pairs of windows.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=200))]
    pairs: u16,

    /// Length of each window.
    #[arg(long, value_name = "T", default_value = "1s", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerChoice,

    /// How much is traced: commit, io or full.
    #[arg(long, value_name = "LEVEL", default_value_t = Detail::Io)]
    detail: Detail,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    settings: Vec<Setting>,

    /// What `cargo bench` adds of itself; without it this is a test.
    #[arg(long, hide = true)]
    bench: bool,
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
        "{} {}, update_key, 8 connections, --max, --detail {}",
        facts.flavor, facts.version, arguments.detail
    );
    let pairs = measure(&server, &arguments)?;
    server.stop()?;
    let ratios: Vec<f64> = pairs.iter().map(Pair::ratio).collect();
    print_median(Median::of(&ratios).context("no pairs")?);
    let cost = Cost::of(pairs.iter().map(|pair| (pair.commits, &pair.account))).context("no commits")?;
    println!("\n{cost}");
    Ok(())
}

fn measure(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<Vec<Pair>> {
    println!(
        "{:>4} {:>10} {:>10} {:>7}",
        "pair", "traced/s", "untraced/s", "ratio"
    );
    let load = SteadyLoad::start(server.connection())?;
    let mut pairs = Vec::new();
    for number in 1..=arguments.pairs {
        let pair = Pair::measure(server.facts(), arguments.detail, &load, arguments.duration)?;
        println!(
            "{number:>4} {:>10.0} {:>10.0} {:>7.3}",
            pair.traced_per_s,
            pair.untraced_per_s,
            pair.ratio()
        );
        pairs.push(pair);
    }
    load.stop()?;
    Ok(pairs)
}

fn print_median(Median { median, interval }: Median) {
    match interval {
        Some((low, high)) => println!("median ratio {median:.3}, 95 % interval {low:.3} to {high:.3}"),
        None => println!("median ratio {median:.3}; six pairs or more give an interval"),
    }
}
