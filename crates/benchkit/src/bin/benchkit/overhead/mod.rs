//! The throughput of a server that is traced, to that of the same server untraced, and the tracer's own account.

mod arguments;
mod comparison;
mod cost;
mod tools;

use anyhow::Context;

pub(crate) use arguments::Arguments;
use cost::{Cost, served};
use logtrace_benchkit::tracing::Traced;
use logtrace_benchkit::{Median, Pair, SharedServer, SteadyLoad, Tracing};

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    print!(
        "{} {}, update_key, {} connections, --max",
        facts.flavor, facts.version, arguments.connections
    );
    for setting in &arguments.settings {
        print!(", {setting}");
    }
    println!();
    match arguments.tools {
        true => comparison::compare(&server, arguments)?,
        false => overhead(&server, arguments)?,
    }
    server.stop()
}

/// Prints each pair of one level of detail, their median, and the tracer's account.
fn overhead(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<()> {
    println!("{}", arguments.extent());
    let pairs = measure(server, arguments)?;
    let ratios: Vec<f64> = pairs.iter().map(Pair::ratio).collect();
    print_median(Median::of(&ratios).context("no pairs")?);
    let cost = Cost::of(pairs.iter().map(|pair| &pair.seen)).context("no commits")?;
    println!("\n{cost}");
    if arguments.sample.has_gaps() {
        let us = cost.ns_of(served(&pairs, arguments.duration)) / 1e3;
        println!("{us:.2} us of each commit of the server, traced or not");
    }
    Ok(())
}

fn measure(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<Vec<Pair<Traced>>> {
    println!(
        "{:>4} {:>10} {:>10} {:>7}",
        "pair", "traced/s", "untraced/s", "ratio"
    );
    let load = SteadyLoad::start(server.connection(), arguments.connections)?;
    let mut pairs = Vec::new();
    for number in 1..=arguments.pairs {
        let pair = Pair::measure(&load, arguments.duration, || {
            Tracing::attach(server.facts(), arguments.extent())
        })?;
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
