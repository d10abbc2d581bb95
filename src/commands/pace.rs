//! `logtrace pace`: how exactly this machine can hold a rate.

use std::time::Duration;

use logtrace_driver::{Arrivals, PACE_RATES, PacePlan, RuntimeError, Waiting, pace_table};

use super::print::print;
use crate::cli::pace::PaceArgs;
use crate::exit::{Exit, UsageError};
use crate::measurement::Line;

/// Turns that each way of waiting gets at each rate.
const ROUNDS: usize = 3;
/// The shortest turn in which the lowest rate has enough due times for a median that means anything.
const SHORTEST: Duration = Duration::from_millis(200);

/// Measures the lag of each way of waiting, and prints the table.
pub(crate) fn pace(arguments: &PaceArgs) -> anyhow::Result<Exit> {
    if arguments.duration < SHORTEST {
        return Err(UsageError(format!("--duration must be at least {SHORTEST:?}")).into());
    }
    let line = Line::start("waiting");
    let plan = PacePlan {
        rates_per_s: &PACE_RATES,
        rounds: ROUNDS,
        round: arguments.duration,
        arrivals: Arrivals::Uniform,
    };
    let table = pace_table::<RuntimeError>(&plan, &mut Waiting::ways(), &mut |over, turns| {
        line.say(format!("waiting, turn {} of {turns}", over + 1));
    })?;
    line.clear();
    print(&table.to_string())?;
    Ok(Exit::Done)
}
