//! The throughput of a server that is traced, to that of the same server untraced, and the tracer's own account.

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "../../tests/common/mod.rs"]
mod common;
mod cost;
mod paired;

use std::time::Duration;

use anyhow::Context;
use clap::{CommandFactory, Parser};
use logtrace_server::{ServerChoice, Setting};

use cost::Cost;
use paired::{Median, Pair, SharedServer, Window};

/// Throughput of `logtrace run --max` with the tracer, to that without it: interleaved pairs on one private server.
#[derive(Debug, Parser)]
struct Arguments {
    /// Pairs of runs.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=200))]
    pairs: u16,

    /// Length of each run's window.
    #[arg(long, value_name = "T", default_value = "2s", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerChoice,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    settings: Vec<Setting>,

    /// What `cargo bench` adds of itself; without it this is a test.
    #[arg(long, hide = true)]
    bench: bool,
}

const WARMUP: Duration = Duration::from_millis(500);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if !arguments.bench {
        Arguments::command().debug_assert();
        return Ok(());
    }
    let server = SharedServer::start(arguments.server, arguments.settings)?;
    let facts = server.facts();
    println!(
        "{} {}, update_key, 8 connections, --max",
        facts.flavor, facts.version
    );
    let window = Window {
        warmup: WARMUP,
        duration: arguments.duration,
    };
    let pairs = measure(&server, window, usize::from(arguments.pairs))?;
    server.stop()?;
    let ratios: Vec<f64> = pairs.iter().map(Pair::ratio).collect();
    print_median(Median::of(&ratios).context("no pairs")?);
    let cost = Cost::of(pairs.iter().filter_map(Pair::account)).context("no commits")?;
    println!("\n{cost}");
    Ok(())
}

fn measure(server: &SharedServer, window: Window, count: usize) -> anyhow::Result<Vec<Pair>> {
    println!(
        "{:>4} {:>10} {:>10} {:>7}",
        "pair", "traced/s", "untraced/s", "ratio"
    );
    let mut pairs = Vec::with_capacity(count);
    for number in 0..count {
        let pair = Pair::measure(server, window, number)?;
        println!(
            "{:>4} {:>10.0} {:>10.0} {:>7.3}",
            number + 1,
            pair.traced_per_s(),
            pair.untraced_per_s(),
            pair.ratio()
        );
        pairs.push(pair);
    }
    Ok(pairs)
}

fn print_median(Median { median, interval }: Median) {
    match interval {
        Some((low, high)) => println!("median ratio {median:.3}, 95 % interval {low:.3} to {high:.3}"),
        None => println!("median ratio {median:.3}; six pairs or more give an interval"),
    }
}
