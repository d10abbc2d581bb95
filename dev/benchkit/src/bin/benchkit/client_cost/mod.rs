//! Client CPU per request: logtrace's driver and another client, in turn on one private server.

mod arguments;
mod library;
mod ours;
mod printed;
mod sysbench;

use anyhow::bail;
use arguments::Against;
pub(crate) use arguments::Arguments;
use logtrace_benchkit::{SharedServer, tables};
use printed::print_median;

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let pace = match (arguments.against, arguments.rate) {
        (Against::Sysbench, None) => "closed loop".to_owned(),
        (Against::MysqlAsync, Some(rate)) => format!("open loop at {rate}/s"),
        (Against::Sysbench, Some(_)) => {
            bail!("--rate is for --against mysql_async: sysbench runs in a closed loop")
        }
        (Against::MysqlAsync, None) => bail!("--against mysql_async needs --rate"),
    };
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    println!(
        "{} {}, {}, {} connections, {pace}",
        facts.flavor, facts.version, arguments.workload.name, arguments.connections
    );
    match arguments.rate {
        Some(rate_per_s) => library::compare(&server, arguments, rate_per_s)?,
        None => compare(&server, arguments)?,
    }
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
    print_median("requests/s, logtrace / sysbench", &rates)?;
    print_median("CPU a request, logtrace / sysbench", &costs)
}
