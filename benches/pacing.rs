//! How late each way of waiting wakes, as a table: the driver's pacer and tokio's timer against the best that a
//! thread can do.
//!
//! Not by criterion: it is the distribution of the lags that counts, not the mean.

#![expect(clippy::print_stdout, reason = "the table is the result")]

use std::env;
use std::time::Duration;

use logtrace_driver::{Arrivals, PACE_RATES, PacePlan, WaitMethod, pace_table};

/// How often each way is measured, and for how long. `cargo bench` passes `--bench`; without it this is a test that shall
/// only run. Arguments that are criterion's are left to it.
fn effort() -> (usize, Duration) {
    let has = |wanted: &str| env::args().any(|argument| argument == wanted);
    match (has("--bench"), has("--quick")) {
        (false, _) => (1, Duration::from_millis(30)),
        (true, true) => (2, Duration::from_millis(500)),
        (true, false) => (6, Duration::from_secs(1)),
    }
}

fn main() -> anyhow::Result<()> {
    let (rounds, round) = effort();
    let plan = PacePlan {
        rates_per_s: &PACE_RATES,
        rounds,
        round,
        arrivals: Arrivals::Uniform,
    };
    let table = pace_table(&plan, &mut WaitMethod::ways(), &mut |_, _| {})?;
    print!("{table}");
    Ok(())
}
