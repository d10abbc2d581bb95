//! `logtrace pace`: accuracy of request rates on this machine.

use std::time::Duration;

use logtrace_driver::{Arrivals, PACE_RATES, PacePlan, WaitMethod, pace_table};
use logtrace_measure::measurement::Line;

use super::print::print;
use crate::cli::pace::PaceArgs;
use crate::exit::{Exit, UsageError};

/// Number of turns for each way of waiting at each rate.
const ROUNDS: usize = 3;
/// Shortest turn with enough due times at the lowest rate for a meaningful median.
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
    let table = pace_table(&plan, &mut WaitMethod::ways(), &mut |over, turns| {
        line.say(format!("waiting, turn {} of {turns}", over + 1));
    })?;
    line.clear();
    print(&table.to_string())?;
    Ok(Exit::Done)
}
