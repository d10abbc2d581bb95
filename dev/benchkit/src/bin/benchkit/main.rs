//! Measures what logtrace costs, beside other programs, what a crash of a server costs, and what studies find. Needs root and a
//! server; scripts/overhead, scripts/client-cost, scripts/pacing, scripts/soak, scripts/crash-loss and scripts/power run it.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the tables are the result"
)]

mod client_cost;
mod crash;
mod lag;
mod overhead;
mod power;
mod soak;

use clap::Parser;

#[derive(Debug, Parser)]
enum BenchkitCommand {
    Overhead(overhead::Arguments),
    ClientCost(client_cost::Arguments),
    Crash(crash::Arguments),
    Lag(lag::Arguments),
    Power(power::Arguments),
    Soak(soak::Arguments),
}

fn main() -> anyhow::Result<()> {
    match BenchkitCommand::parse() {
        BenchkitCommand::Overhead(arguments) => overhead::run(&arguments),
        BenchkitCommand::ClientCost(arguments) => client_cost::run(&arguments),
        BenchkitCommand::Crash(arguments) => crash::run(&arguments),
        BenchkitCommand::Lag(arguments) => lag::run(&arguments),
        BenchkitCommand::Power(arguments) => power::run(&arguments),
        BenchkitCommand::Soak(arguments) => soak::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::BenchkitCommand;

    #[test]
    fn arguments_are_consistent() {
        BenchkitCommand::command().debug_assert();
    }
}
