//! Rounds of a self-test: methods of keeping a rate, measured in turn.

use std::thread;
use std::time::Duration;

use crate::pacing::lateness::Lateness;
use crate::pacing::self_test::{PaceRound, WaitMethod, pace_lag};
use crate::pacing::self_test_table::PaceTable;
use crate::schedule::arrivals::Arrivals;
use crate::util::runtime::RuntimeError;

/// Rates per second at which methods are compared.
pub const PACE_RATES: [f64; 5] = [100.0, 500.0, 1_000.0, 2_000.0, 5_000.0];

/// Plan of a comparison of methods.
#[derive(Clone, Copy, Debug)]
pub struct PacePlan<'a> {
    /// Rates per second.
    pub rates_per_s: &'a [f64],
    /// Number of rounds of each method at each rate.
    pub rounds: usize,
    /// Length of a round.
    pub round: Duration,
    /// Distribution of due times. Random times differ from round to round, and are the same for all methods.
    pub arrivals: Arrivals,
}

/// Measurement of one round: returns the name and lateness of one method, or of several that it measures at once.
pub type PaceMethod<'a, E> = Box<dyn FnMut(&PaceRound) -> Result<Vec<(&'static str, Lateness)>, E> + 'a>;

/// Measures the methods at each rate, in turn, so that a disturbance of the machine affects all of them. Calls `follow`
/// before each round with the number of finished rounds and the number of all rounds.
pub fn pace_table<E>(
    plan: &PacePlan<'_>,
    ways: &mut [PaceMethod<'_, E>],
    follow: &mut dyn FnMut(usize, usize),
) -> Result<PaceTable, E> {
    let turns = plan.rates_per_s.len() * plan.rounds * ways.len();
    let mut table = PaceTable::default();
    let mut over = 0;
    for &rate_per_s in plan.rates_per_s {
        for seed in 0..plan.rounds as u64 {
            let turn = PaceRound {
                rate_per_s,
                arrivals: plan.arrivals,
                seed,
                length: plan.round,
            };
            for way in &mut *ways {
                follow(over, turns);
                for (name, lags) in way(&turn)? {
                    table.add(rate_per_s, name, &lags);
                }
                over += 1;
            }
        }
    }
    Ok(table)
}

impl WaitMethod {
    /// Returns the measurements of all methods, without a server.
    pub fn ways<E: From<RuntimeError>>() -> Vec<PaceMethod<'static, E>> {
        let way = |waiting: Self| -> PaceMethod<'static, E> {
            Box::new(move |turn| Ok(vec![(waiting.name(), on_new_thread(waiting, *turn)?)]))
        };
        Self::ALL.into_iter().map(way).collect()
    }
}

/// Measures on a new thread, because a thread keeps its timer slack.
fn on_new_thread(waiting: WaitMethod, turn: PaceRound) -> Result<Lateness, RuntimeError> {
    let measuring = thread::spawn(move || pace_lag(waiting, &turn));
    measuring
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const PLAN: PacePlan<'_> = PacePlan {
        rates_per_s: &[1_000.0, 2_000.0],
        rounds: 2,
        round: Duration::from_millis(10),
        arrivals: Arrivals::Uniform,
    };

    #[test]
    fn all_ways_take_their_turns_at_all_rates() {
        let mut calls = Vec::new();
        let table = pace_table::<RuntimeError>(&PLAN, &mut WaitMethod::ways(), &mut |over, of| {
            calls.push((over, of));
        })
        .unwrap();
        let ways = WaitMethod::ALL.len();
        assert_eq!(table.rows().len(), 2 * ways);
        assert_eq!(calls.len(), 4 * ways);
        assert_eq!(calls.last(), Some(&(4 * ways - 1, 4 * ways)));
        let due = |row: &crate::pacing::self_test_table::PaceRow| (row.rate_per_s / 50.0) as u64;
        assert!(table.rows().iter().all(|row| row.lags.due() == due(row)));
    }

    #[test]
    fn all_ways_of_a_round_have_the_same_due_times_and_each_round_others() {
        let turns = RefCell::new(Vec::new());
        let way = |name: char| -> PaceMethod<'_, RuntimeError> {
            let turns = &turns;
            Box::new(move |turn| {
                turns.borrow_mut().push((name, turn.rate_per_s, turn.seed));
                Ok(Vec::new())
            })
        };
        pace_table(&PLAN, &mut [way('a'), way('b')], &mut |_, _| {}).unwrap();
        let by_turn = [(1_000.0, 0), (1_000.0, 1), (2_000.0, 0), (2_000.0, 1)];
        let expected = by_turn.map(|(rate, seed)| [('a', rate, seed), ('b', rate, seed)]);
        assert_eq!(turns.into_inner(), expected.concat());
    }
}
