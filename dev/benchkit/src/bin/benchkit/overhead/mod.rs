//! The throughput and the CPU time of a server that is traced, to those of the same server untraced, and the tracer's
//! own account.

mod arguments;
mod comparison;
mod cost;
mod tools;

use anyhow::Context;

pub(crate) use arguments::Arguments;
use cost::{Cost, served};
use logtrace_benchkit::tracing::TracedCommits;
use logtrace_benchkit::{AttachedTracer, CpuTime, Median, SharedServer, SteadyLoad, TracerPair};

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    print!(
        "{} {}, update_key, {} connections, ",
        facts.flavor, facts.version, arguments.connections
    );
    match arguments.rate {
        Some(rate) => print!("{rate} requests a second"),
        None => print!("--max"),
    }
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
    let ratios: Vec<f64> = pairs.iter().map(TracerPair::ratio).collect();
    print_median(Median::of(&ratios).context("no pairs")?);
    let cost = Cost::of(pairs.iter().map(|pair| &pair.seen)).context("no commits")?;
    println!("\n{cost}");
    print_growth(&pairs);
    print_agreement(&cost, &pairs);
    if arguments.sample.has_gaps() {
        let us = cost.ns_of(served(&pairs)).ns / 1e3;
        println!("{us:.2} us of each commit of the server, traced or not");
    }
    Ok(())
}

fn measure(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<Vec<TracerPair<TracedCommits>>> {
    println!(
        "{:>4} {:>10} {:>10} {:>7}",
        "pair", "traced/s", "untraced/s", "ratio"
    );
    let load = SteadyLoad::start(server, arguments.connections, arguments.pace())?;
    let mut pairs = Vec::new();
    for number in 1..=arguments.pairs {
        let pair = TracerPair::measure(&load, arguments.duration, || {
            AttachedTracer::attach(server.facts(), arguments.extent())
        })?;
        println!(
            "{number:>4} {:>10.0} {:>10.0} {:>7.3}",
            pair.traced.per_s(),
            pair.untraced.per_s(),
            pair.ratio()
        );
        pairs.push(pair);
    }
    load.stop()?;
    Ok(pairs)
}

/// Prints the account beside what attaching the tracer adds to the CPU time of all.
fn print_agreement(cost: &Cost, pairs: &[TracerPair<TracedCommits>]) {
    let growth: Vec<f64> = pairs
        .iter()
        .map(|pair| pair.growth_ns(|cpu| cpu.busy_ns))
        .collect();
    let Some(Median {
        median,
        interval: Some((low, high)),
    }) = Median::of(&growth)
    else {
        return;
    };
    let us = cost.ns_of(served(pairs)).times(1e-3);
    println!(
        "\naccount {:.1} us ({:.1} to {:.1}); attaching adds {:.1} us ({:.1} to {:.1}); account / added {:.2}",
        us.ns,
        us.low(),
        us.high(),
        median / 1e3,
        low / 1e3,
        high / 1e3,
        us.ns / (median / 1e3)
    );
}

/// Name of a CPU time and the way to it.
type CpuClock = (&'static str, fn(&CpuTime) -> u64);

/// Prints the CPU time by request, with the tracer and without it.
fn print_growth(pairs: &[TracerPair<TracedCommits>]) {
    let clocks: [CpuClock; 3] = [
        ("server", |cpu| cpu.server_ns),
        ("driver and reader", |cpu| cpu.own_ns),
        ("all CPUs", |cpu| cpu.busy_ns),
    ];
    println!(
        "\n{:<20} {:>8} {:>8} {:>8} {:>18}",
        "us a request of", "traced", "untraced", "more", "95 % interval"
    );
    for (name, clock) in clocks {
        let median_us = |number: &dyn Fn(&TracerPair<TracedCommits>) -> f64| {
            let numbers: Vec<f64> = pairs.iter().map(|pair| number(pair) / 1e3).collect();
            Median::of(&numbers)
        };
        let traced = median_us(&|pair| pair.traced.a_request(clock));
        let untraced = median_us(&|pair| pair.untraced.a_request(clock));
        let more = median_us(&|pair| pair.growth_ns(clock));
        let (Some(traced), Some(untraced), Some(more)) = (traced, untraced, more) else {
            return;
        };
        let interval = more
            .interval
            .map_or(String::new(), |(low, high)| format!("{low:.1} to {high:.1}"));
        println!(
            "{name:<20} {:>8.1} {:>8.1} {:>8.1} {interval:>18}",
            traced.median, untraced.median, more.median
        );
    }
}

fn print_median(Median { median, interval }: Median) {
    match interval {
        Some((low, high)) => println!("median ratio {median:.3}, 95 % interval {low:.3} to {high:.3}"),
        None => println!("median ratio {median:.3}; six pairs or more give an interval"),
    }
}
