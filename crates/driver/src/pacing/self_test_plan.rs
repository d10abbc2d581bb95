//! Measures several ways of keeping a rate, which take turns.

use std::thread;
use std::time::Duration;

use crate::pacing::lateness::Lags;
use crate::pacing::self_test::{PaceTurn, Waiting, pace_lag};
use crate::pacing::self_test_table::PaceTable;
use crate::schedule::arrivals::Arrivals;
use crate::util::runtime::RuntimeError;

/// The rates at which the ways are compared, a second.
pub const PACE_RATES: [f64; 5] = [100.0, 500.0, 1_000.0, 2_000.0, 5_000.0];

/// What each way is measured for.
#[derive(Clone, Copy, Debug)]
pub struct PacePlan<'a> {
    /// Due times a second.
    pub rates_per_s: &'a [f64],
    /// Turns of each way at each rate.
    pub rounds: usize,
    /// Length of a turn.
    pub round: Duration,
    /// How due times are spread. What is drawn, is drawn anew for each round, and alike for all ways.
    pub arrivals: Arrivals,
}

/// Measures for one turn: one thing, or several that are seen at once, by name.
pub type Way<'a, E> = Box<dyn FnMut(&PaceTurn) -> Result<Vec<(&'static str, Lags)>, E> + 'a>;

/// Measures the ways at each rate. They take turns, so that what disturbs the machine disturbs all of them. `follow` is
/// told before each turn how many are over, and how many there are.
pub fn pace_table<E>(
    plan: &PacePlan<'_>,
    ways: &mut [Way<'_, E>],
    follow: &mut dyn FnMut(usize, usize),
) -> Result<PaceTable, E> {
    let turns = plan.rates_per_s.len() * plan.rounds * ways.len();
    let mut table = PaceTable::default();
    let mut over = 0;
    for &rate_per_s in plan.rates_per_s {
        for seed in 0..plan.rounds as u64 {
            let turn = PaceTurn {
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

impl Waiting {
    /// All, to be measured without a server.
    pub fn ways<E: From<RuntimeError>>() -> Vec<Way<'static, E>> {
        let way = |waiting: Self| -> Way<'static, E> {
            Box::new(move |turn| Ok(vec![(waiting.name(), on_new_thread(waiting, *turn)?)]))
        };
        Self::ALL.into_iter().map(way).collect()
    }
}

/// On a thread of its own, because the timer slack that a way sets stays with its thread.
fn on_new_thread(waiting: Waiting, turn: PaceTurn) -> Result<Lags, RuntimeError> {
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
        let mut told = Vec::new();
        let table = pace_table::<RuntimeError>(&PLAN, &mut Waiting::ways(), &mut |over, of| {
            told.push((over, of));
        })
        .unwrap();
        let ways = Waiting::ALL.len();
        assert_eq!(table.rows().len(), 2 * ways);
        assert_eq!(told.len(), 4 * ways);
        assert_eq!(told.last(), Some(&(4 * ways - 1, 4 * ways)));
        let due = |row: &crate::pacing::self_test_table::PaceRow| (row.rate_per_s / 50.0) as u64;
        assert!(table.rows().iter().all(|row| row.lags.due() == due(row)));
    }

    #[test]
    fn all_ways_of_a_round_have_the_same_due_times_and_each_round_others() {
        let turns = RefCell::new(Vec::new());
        let way = |name: char| -> Way<'_, RuntimeError> {
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
