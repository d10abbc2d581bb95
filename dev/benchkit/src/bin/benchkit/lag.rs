//! Lag of requests to a real server, beside the lag of timers on this machine: one table from one run.

use std::io::{IsTerminal, stderr};
use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use logtrace_common::Variable;
use logtrace_driver::{Arrivals, PACE_RATES, PacePlan};
use logtrace_server::ServerChoice;

use logtrace_benchkit::SharedServer;
use logtrace_benchkit::lag::{compare, load};

/// The lag of a bare timer, the driver's pacer and tokio's timer without a server, and of logtrace's driver's and
/// sysbench's point selects on one, at Poisson arrivals.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Rates, a second.
    #[arg(long = "rate", value_name = "R", default_values_t = PACE_RATES)]
    rates: Vec<f64>,

    /// Turns that each way gets at each rate.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=200))]
    rounds: u16,

    /// Length of a turn.
    #[arg(long, value_name = "T", default_value = "10s", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// mysql, mariadb or /path/to/mysqld: a private server of it is started.
    #[arg(long, value_name = "SERVER", default_value = "mysql")]
    server: ServerChoice,

    /// Connections of either client.
    #[arg(long, value_name = "N", default_value = "8")]
    connections: NonZeroUsize,

    /// Set a variable of the server. Repeatable.
    #[arg(long = "set", value_name = "VAR=VALUE")]
    settings: Vec<Variable>,
}

/// Measures and prints what the arguments say.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let server = SharedServer::start(arguments.server.clone(), arguments.settings.clone())?;
    let facts = server.facts();
    println!(
        "{} {}, point_select, {} connections, Poisson arrivals, {} turns of {:?}",
        facts.flavor, facts.version, arguments.connections, arguments.rounds, arguments.duration
    );
    let plan = PacePlan {
        rates_per_s: &arguments.rates,
        rounds: arguments.rounds.into(),
        round: arguments.duration,
        arrivals: Arrivals::Poisson,
    };
    load(&server)?;
    let compared = compare(&server, arguments.connections, &plan, &mut |over, turns| {
        if stderr().is_terminal() {
            eprint!("\rturn {} of {turns} ", over + 1);
        }
    })?;
    if stderr().is_terminal() {
        eprintln!();
    }
    print!("{}", compared.table);
    println!("sysbench's due times that were not seen, but lie between others:");
    for (rate_per_s, share) in compared.unseen {
        println!("{rate_per_s:>7}  {:.1} %", 100.0 * share);
    }
    server.stop()
}
