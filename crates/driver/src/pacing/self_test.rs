//! Self-test of pacing: lateness of each method of waiting on this machine, without a server.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
use strum::{IntoStaticStr, VariantArray};

use crate::pacing::lateness::Lateness;
use crate::pacing::self_test_table::PaceTable;
use crate::pacing::{Pacer, set_timer, turn_off_timer_slack};
use crate::schedule::arrivals::Arrivals;
use crate::util::clock::{duration_ns, now_ns};
use crate::util::runtime::on_this_thread;

/// Rates per second at which methods are compared.
pub const PACE_RATES: [f64; 5] = [100.0, 500.0, 1_000.0, 2_000.0, 5_000.0];

/// Time from the start of a round to its window.
const LEAD_NS: u64 = 2_000_000;

/// Method of waiting for a due time, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum WaitMethod {
    /// Blocking read of a timerfd: the best possible for a thread that does nothing else.
    #[strum(serialize = "bare timer")]
    BareTimer,
    /// Pacer of the driver: a timerfd in the event loop of its thread.
    Pacer,
    /// Pacer with an early timer; the thread spins for the rest of the time.
    Spinning,
    /// Timer of tokio, which the driver avoids.
    #[strum(serialize = "tokio timer")]
    TokioTimer,
}

/// Due times of one round of a self-test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaceRound {
    /// Number of due times per second.
    pub rate_per_s: f64,
    /// Distribution of due times.
    pub arrivals: Arrivals,
    /// Seed of random due times.
    pub seed: u64,
    /// Length of the round.
    pub length: Duration,
}

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
pub type PaceMethod<'a> = Box<dyn FnMut(&PaceRound) -> anyhow::Result<Vec<(&'static str, Lateness)>> + 'a>;

/// Measures the methods at each rate, in turn, so that a disturbance of the machine affects all of them. Calls `follow`
/// before each round with the number of finished rounds and the number of all rounds.
pub fn pace_table(
    plan: &PacePlan<'_>,
    methods: &mut [PaceMethod<'_>],
    follow: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<PaceTable> {
    let all = plan.rates_per_s.len() * plan.rounds * methods.len();
    let mut table = PaceTable::default();
    let mut finished = 0..;
    for &rate_per_s in plan.rates_per_s {
        for seed in 0..plan.rounds as u64 {
            let round = PaceRound {
                rate_per_s,
                arrivals: plan.arrivals,
                seed,
                length: plan.round,
            };
            for (method, finished) in methods.iter_mut().zip(&mut finished) {
                follow(finished, all);
                for (name, lateness) in method(&round)? {
                    table.add(rate_per_s, name, &lateness);
                }
            }
        }
    }
    Ok(table)
}

/// Waits for each due time of a round and returns the lateness. Runs on this thread and may leave its timer slack turned
/// off.
pub fn pace_lag(method: WaitMethod, round: &PaceRound) -> anyhow::Result<Lateness> {
    Ok(on_this_thread(method.lateness(round))??)
}

impl WaitMethod {
    /// All methods, the best first.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the measurements of all methods, without a server. Each runs on a new thread, because a thread keeps its
    /// timer slack.
    pub fn ways() -> Vec<PaceMethod<'static>> {
        let way = |&method: &Self| -> PaceMethod<'static> {
            Box::new(move |&round| {
                let lateness = thread::spawn(move || pace_lag(method, &round)).join();
                let lateness = lateness.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                Ok(vec![(method.name(), lateness?)])
            })
        };
        Self::ALL.iter().map(way).collect()
    }

    async fn lateness(self, round: &PaceRound) -> io::Result<Lateness> {
        match self {
            Self::Pacer | Self::Spinning => {
                let mut pacer = Pacer::new(self == Self::Spinning)?;
                round.lateness(async |at_ns| pacer.until(at_ns).await).await
            }
            Self::BareTimer => {
                turn_off_timer_slack()?;
                let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
                let until = async |at_ns| {
                    if now_ns() < at_ns {
                        set_timer(&timer, at_ns)?;
                        rustix::io::read(&timer, &mut [0; 8])?;
                    }
                    Ok(())
                };
                round.lateness(until).await
            }
            Self::TokioTimer => {
                let (start, start_ns) = (Instant::now(), now_ns());
                let until = async |at_ns: u64| {
                    // A time that is over needs no sleep, and the shortest one takes a millisecond.
                    let at = start + Duration::from_nanos(at_ns - start_ns);
                    tokio::time::sleep_until(at.into()).await;
                    Ok(())
                };
                round.lateness(until).await
            }
        }
    }
}

impl PaceRound {
    /// Waits with `until` for each due time.
    async fn lateness(&self, mut until: impl AsyncFnMut(u64) -> io::Result<()>) -> io::Result<Lateness> {
        let (start_ns, length_ns) = (now_ns() + LEAD_NS, duration_ns(self.length));
        let mut lateness = Lateness::new(start_ns + length_ns);
        let offsets = self.arrivals.offsets_ns(self.rate_per_s, self.seed);
        for offset_ns in offsets.take_while(|&offset_ns| offset_ns < length_ns) {
            until(start_ns + offset_ns).await?;
            lateness.record(start_ns + offset_ns, now_ns());
        }
        Ok(lateness)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::pacing::self_test_table::{BARE_TIMER, PaceRow};

    const PLAN: PacePlan<'_> = PacePlan {
        rates_per_s: &[1_000.0, 2_000.0],
        rounds: 2,
        round: Duration::from_millis(10),
        arrivals: Arrivals::Uniform,
    };

    #[test]
    fn all_ways_take_their_turns_at_all_rates() {
        let mut calls = Vec::new();
        let table = pace_table(&PLAN, &mut WaitMethod::ways(), &mut |over, of| {
            calls.push((over, of));
        })
        .unwrap();
        let ways = WaitMethod::ALL.len();
        assert_eq!(WaitMethod::BareTimer.name(), BARE_TIMER);
        assert_eq!(table.rows().len(), 2 * ways);
        assert_eq!(calls.len(), 4 * ways);
        assert_eq!(calls.last(), Some(&(4 * ways - 1, 4 * ways)));
        let due = |row: &PaceRow| (row.rate_per_s / 50.0) as u64;
        assert!(table.rows().iter().all(|row| row.lags.due() == due(row)));
    }

    #[test]
    fn all_ways_of_a_round_have_the_same_due_times_and_each_round_others() {
        let turns = RefCell::new(Vec::new());
        let way = |name: char| -> PaceMethod<'_> {
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
