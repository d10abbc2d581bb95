//! Measures what logtrace costs, beside other programs, and what a crash of a server costs. Needs root and a server;
//! scripts/overhead, scripts/client-cost, scripts/pacing, scripts/soak and scripts/crash-loss run it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the tables are the result"
)]

mod client_cost;
mod crash;
mod lag;
mod overhead;
mod soak;

use clap::Parser;

#[derive(Debug, Parser)]
enum Measurement {
    Overhead(overhead::Arguments),
    ClientCost(client_cost::Arguments),
    Crash(crash::Arguments),
    Lag(lag::Arguments),
    Soak(soak::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Measurement::parse() {
        Measurement::Overhead(arguments) => overhead::run(&arguments),
        Measurement::ClientCost(arguments) => client_cost::run(&arguments),
        Measurement::Crash(arguments) => crash::run(&arguments),
        Measurement::Lag(arguments) => lag::run(&arguments),
        Measurement::Soak(arguments) => soak::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Measurement;

    #[test]
    fn arguments_are_consistent() {
        Measurement::command().debug_assert();
    }
}
