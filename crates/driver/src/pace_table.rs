//! How late each way of waiting wakes on this machine, side by side.

use std::fmt;
use std::thread;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::pace_lag::{Waiting, pace_lag};
use crate::runtime::RuntimeError;

/// The rates at which the ways are compared, a second.
pub const PACE_RATES: [f64; 5] = [100.0, 500.0, 1_000.0, 2_000.0, 5_000.0];

/// What of the lags is shown.
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// The lags of all ways of waiting, by rate.
#[derive(Clone, Debug)]
pub struct PaceTable {
    rows: Vec<PaceRow>,
}

/// One way of waiting at one rate.
#[derive(Clone, Debug)]
pub struct PaceRow {
    /// Due times a second.
    pub rate_per_s: f64,
    /// The way.
    pub waiting: Waiting,
    /// How late each wait ended, in ns.
    pub lag: Histogram<u64>,
}

/// Measures each way `rounds` times for the length of `round` at each rate. They take turns, so that what disturbs the
/// machine disturbs all of them. `follow` is told before each turn how many are over, and how many there are.
pub fn pace_table(
    rates_per_s: &[f64],
    rounds: usize,
    round: Duration,
    follow: &mut dyn FnMut(usize, usize),
) -> Result<PaceTable, RuntimeError> {
    let turns = rates_per_s.len() * rounds * Waiting::ALL.len();
    let mut rows: Vec<PaceRow> = Vec::new();
    let mut over = 0;
    for &rate_per_s in rates_per_s {
        let first = rows.len();
        for _ in 0..rounds {
            for (which, waiting) in Waiting::ALL.into_iter().enumerate() {
                follow(over, turns);
                let lag = on_new_thread(waiting, rate_per_s, round)?;
                match rows.get_mut(first + which) {
                    Some(row) => row.lag += lag,
                    None => rows.push(PaceRow {
                        rate_per_s,
                        waiting,
                        lag,
                    }),
                }
                over += 1;
            }
        }
    }
    Ok(PaceTable { rows })
}

impl PaceTable {
    /// By rate, and in the order of [`Waiting::ALL`].
    pub fn rows(&self) -> &[PaceRow] {
        &self.rows
    }

    fn bare<'a>(&'a self, row: &'a PaceRow) -> &'a Histogram<u64> {
        let bare = self
            .rows
            .iter()
            .find(|other| other.rate_per_s == row.rate_per_s && other.waiting == Waiting::BareTimer);
        bare.map_or(&row.lag, |bare| &bare.lag)
    }
}

/// On a thread of its own, because the timer slack that a way sets stays with its thread.
fn on_new_thread(waiting: Waiting, rate_per_s: f64, round: Duration) -> Result<Histogram<u64>, RuntimeError> {
    let measuring = thread::spawn(move || pace_lag(waiting, rate_per_s, round));
    measuring
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl fmt::Display for PaceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "lag in us, and as a multiple of the bare timer's")?;
        let [median, p90, p99] = ["median", "p90", "p99"];
        writeln!(f, "{:>7}  {:<11} {median:>17} {p90:>17} {p99:>17}", "rate/s", "")?;
        for row in &self.rows {
            write!(f, "{:>7}  {:<11}", row.rate_per_s, row.waiting.to_string())?;
            for quantile in QUANTILES {
                let best = self.bare(row).value_at_quantile(quantile).max(1);
                let lag = row.lag.value_at_quantile(quantile);
                let ratio = format!("x{:.2}", lag as f64 / best as f64);
                write!(f, " {:>9.1} {ratio:>7}", lag as f64 / 1e3)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rate_per_s: f64, waiting: Waiting, lag_ns: u64) -> PaceRow {
        let mut lag = Histogram::new(3).unwrap();
        lag += lag_ns;
        PaceRow {
            rate_per_s,
            waiting,
            lag,
        }
    }

    #[test]
    fn each_lag_is_held_against_the_bare_timers_at_its_rate() {
        let table = PaceTable {
            rows: vec![
                row(100.0, Waiting::BareTimer, 50_000),
                row(100.0, Waiting::Pacer, 60_000),
                row(500.0, Waiting::BareTimer, 19_900),
                row(500.0, Waiting::TokioTimer, 500_000),
            ],
        };
        let text = table.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].contains("pacer") && lines[3].contains("x1.20"), "{text}");
        assert!(lines[5].contains("tokio") && lines[5].contains("x25."), "{text}");
    }

    #[test]
    fn all_ways_take_their_turns_at_all_rates() {
        let mut told = Vec::new();
        let table = pace_table(
            &[1_000.0, 2_000.0],
            2,
            Duration::from_millis(10),
            &mut |over, of| {
                told.push((over, of));
            },
        )
        .unwrap();
        let ways = Waiting::ALL.len();
        assert_eq!(table.rows().len(), 2 * ways);
        assert_eq!(told.len(), 4 * ways);
        assert_eq!(told.last(), Some(&(4 * ways - 1, 4 * ways)));
        assert!(
            table
                .rows()
                .iter()
                .all(|row| row.lag.len() == (row.rate_per_s / 50.0) as u64)
        );
    }
}
