//! logtrace's own client and `mysql_async`, in turn: an open loop of the same UPDATEs at the same due times.
//!
//! Each round has a second window of logtrace's own client. What it differs from the first by is what the series cannot
//! resolve.

mod client;
mod plan;
mod window;

use std::thread;

use anyhow::{Context, anyhow};
use client::{LibraryClient, OwnClient};
use logtrace_benchkit::tables::{DATABASE, DATASET};
use logtrace_benchkit::{Median, SharedServer, tables};
use logtrace_common::Connection;
use plan::{ClientTurn, Planned, requests, turns};
use window::{MeasuredClient, WARMUP, measure};

use super::arguments::{Arguments, COMPARED};
use super::printed::print_median;

const HEAD: [&str; 3] = ["logtrace", "mysql_async", "logtrace"];

/// Column of the table.
type FigureColumn = (&'static str, fn(&MeasuredClient) -> f64);

const FIGURES: [FigureColumn; 3] = [
    ("CPU us a request", |measured| measured.cpu_us),
    ("service p50 us", |measured| measured.service_us),
    ("lag p50 us", |measured| measured.lag_us),
];

/// Measures rounds at a rate, and prints them.
pub(crate) fn compare(server: &SharedServer, arguments: &Arguments, rate_per_s: u32) -> anyhow::Result<()> {
    anyhow::ensure!(
        arguments.workload.name == COMPARED,
        "only {COMPARED} is compared with mysql_async: leave --workload out"
    );
    tables::load(server.connection(), arguments.workload)?;
    // With the user of the server's process, connections of the library would go through a relay.
    let direct = Connection {
        server_uid: None,
        ..server.connection().with_database(DATABASE)
    };
    print_head();
    let mut rounds = Vec::new();
    for number in 0..usize::from(arguments.pairs) {
        let length = WARMUP + arguments.duration;
        let seed = DATASET.seed + number as u64;
        let requests = requests(rate_per_s.into(), length, &DATASET, seed);
        let round = measured_round(&direct, arguments, number, &requests)?;
        print_round(number + 1, &round);
        rounds.push(round);
    }
    FIGURES
        .iter()
        .try_for_each(|figure| print_summary(figure, &rounds))
}

/// Returns the windows of one round in the order of [`ClientTurn::ALL`].
fn measured_round(
    server: &Connection,
    arguments: &Arguments,
    number: usize,
    requests: &[Planned],
) -> anyhow::Result<[MeasuredClient; 3]> {
    let connections = arguments.connections.get();
    let mut round = [MeasuredClient::default(); 3];
    for turn in turns(number) {
        let of_client = match turn {
            ClientTurn::Own | ClientTurn::Control => measure::<OwnClient>,
            ClientTurn::Library => measure::<LibraryClient>,
        };
        let window = thread::scope(|scope| scope.spawn(|| of_client(server, connections, requests)).join());
        round[turn as usize] = window.map_err(|_| anyhow!("a client panicked"))??;
    }
    Ok(round)
}

fn print_head() {
    print!("{:>5}", "");
    for (title, _) in FIGURES {
        print!(" | {title:>32}");
    }
    print!("\n{:>5}", "round");
    for _ in FIGURES {
        print!(" | {:>9} {:>12} {:>9}", HEAD[0], HEAD[1], HEAD[2]);
    }
    println!();
}

fn print_round(number: usize, round: &[MeasuredClient; 3]) {
    print!("{number:>5}");
    for (_, figure) in FIGURES {
        let [own, library, control] = round.each_ref().map(figure);
        print!(" | {own:>9.1} {library:>12.1} {control:>9.1}");
    }
    println!();
}

/// Prints medians with the least and the most, and the ratios with their confidence intervals.
fn print_summary((title, figure): &FigureColumn, rounds: &[[MeasuredClient; 3]]) -> anyhow::Result<()> {
    println!("{title}, median [least, most]:");
    let of =
        |turn: ClientTurn| -> Vec<f64> { rounds.iter().map(|round| figure(&round[turn as usize])).collect() };
    for turn in ClientTurn::ALL {
        let numbers = of(turn);
        let median = Median::of(&numbers).context("no rounds")?.median;
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(0.0, f64::max);
        println!(
            "  {:<24} {median:.1} [{least:.1}, {most:.1}]",
            HEAD[turn as usize]
        );
    }
    for (name, turn) in [
        ("mysql_async", ClientTurn::Library),
        ("control", ClientTurn::Control),
    ] {
        let pairs = of(ClientTurn::Own).into_iter().zip(of(turn));
        let ratios: Vec<f64> = pairs.map(|(own, other)| other / own).collect();
        print_median(&format!("  {name} / logtrace"), &ratios)?;
    }
    Ok(())
}
