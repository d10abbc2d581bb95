//! Client CPU per request: logtrace's driver and Debian's sysbench, in turn on one private server.

mod arguments;
mod ours;
mod sysbench;

use anyhow::Context;
pub(crate) use arguments::Arguments;
use logtrace_benchkit::{Median, SharedServer, tables};

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    println!(
        "{} {}, {}, {} connections, closed loop",
        facts.flavor, facts.version, arguments.workload.name, arguments.connections
    );
    compare(&server, arguments)?;
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
