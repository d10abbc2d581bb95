//! How late each way of waiting wakes, as a table: the driver's pacer and tokio's timer against the best that a
//! thread can do.
//!
//! Not by criterion: it is the distribution of the lags that counts, not the mean.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::env;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use logtrace_driver::{Histogram, Waiting, pace_lag};

const RATES_PER_S: [f64; 3] = [100.0, 1_000.0, 5_000.0];
const WAYS: [(&str, Waiting); 3] = [
    ("bare timer", Waiting::BareTimer),
    ("pacer", Waiting::Pacer),
    ("tokio timer", Waiting::TokioTimer),
];
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// How much is measured for each cell of the table.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// The ways take turns, so that all of them see the same disturbances.
    rounds: u32,
    round: Duration,
}

impl Effort {
    /// `cargo bench` passes `--bench`; without it this is a test that shall only run. Arguments that are
    /// criterion's are left to it.
    fn asked() -> Self {
        let has = |wanted: &str| env::args().any(|argument| argument == wanted);
        let (rounds, round_ms) = match (has("--bench"), has("--quick")) {
            (false, _) => (1, 30),
            (true, true) => (2, 500),
            (true, false) => (6, 1_000),
        };
        Self {
            rounds,
            round: Duration::from_millis(round_ms),
        }
    }
}

fn main() -> anyhow::Result<()> {
    let effort = Effort::asked();
    println!("lag in us, and as a multiple of the bare timer's");
    println!(
        "{:>7}  {:<11} {:>17} {:>17} {:>17}",
        "rate/s", "", "median", "p90", "p99"
    );
    for rate_per_s in RATES_PER_S {
        let lags = measure(rate_per_s, effort)?;
        for ((name, _), histogram) in WAYS.iter().zip(&lags) {
            println!("{rate_per_s:>7}  {name:<11} {}", cells(histogram, &lags[0]));
        }
    }
    Ok(())
}

/// The lags of each way, in the order of [`WAYS`].
fn measure(rate_per_s: f64, effort: Effort) -> anyhow::Result<Vec<Histogram<u64>>> {
    let mut lags = WAYS.map(|_| None);
    for _ in 0..effort.rounds {
        for (all, (_, waiting)) in lags.iter_mut().zip(WAYS) {
            let round = on_new_thread(waiting, rate_per_s, effort.round)?;
            match all {
                None => *all = Some(round),
                Some(all) => *all += round,
            }
        }
    }
    lags.into_iter()
        .map(|lags| lags.context("nothing was measured"))
        .collect()
}

/// On a thread of its own, because the timer slack that a way sets stays with its thread.
fn on_new_thread(waiting: Waiting, rate_per_s: f64, round: Duration) -> anyhow::Result<Histogram<u64>> {
    let measuring = thread::spawn(move || pace_lag(waiting, rate_per_s, round));
    let lags = measuring
        .join()
        .map_err(|_| anyhow::anyhow!("measuring {waiting:?} panicked"))??;
    Ok(lags)
}

fn cells(lags: &Histogram<u64>, bare: &Histogram<u64>) -> String {
    QUANTILES
        .map(|quantile| {
            let (lag, best) = (lags.value_at_quantile(quantile), bare.value_at_quantile(quantile));
            let ratio = lag as f64 / best.max(1) as f64;
            format!("{:>9.1} {:>7}", lag as f64 / 1e3, format!("x{ratio:.2}"))
        })
        .join(" ")
}
