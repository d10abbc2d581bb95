//! Short turns of a plan's cells: `turns`, `turn`, `wash_in` and `windows`, and the `effect` that they are to show.
//!
//! Windows of 8 s of the same cell differed by up to a factor of two, because the machine's speed moves within minutes, so
//! three repeats of 48 cells showed nothing. Two turns of a second in one block differ by 7 to 19 % (standard deviation of
//! an A/A study on two shared CPUs), and ratios of different blocks are not correlated.
//!
//! The mean over the turns of a repeat is the unit of inference, not the turn. Turns in a row share the state of machine and
//! server, so an interval from 30 turns would be too narrow. This costs a sixth of the width, with 6 repeats of 5
//! turns in place of 30 independent ones.
//!
//! No tracer is attached in short turns: attaching and detaching take 0.4 and 0.7 s, as long as a turn, and one tracer over
//! all turns would have to divide its account, gaps and causes. Causes come from windows.
//!
//! Wash-in and turn are one load, divided by when requests ended: the driver ends a warm-up by waiting for its requests, so
//! a turn after it would begin with an empty server.

use std::time::Duration;

use logtrace_common::FileError;
use logtrace_driver::Requests;

use crate::cell::{DataUse, ShortTurns};
use crate::plan::option_layers::OptionLayers;

/// Most short turns of a cell in a repeat.
pub(crate) const MOST_TURNS: u32 = 100;
/// Shortest turn. Shorter ones would have too few requests.
const SHORTEST: Duration = Duration::from_millis(500);
const LENGTH: Duration = Duration::from_secs(2);
const WASH_IN: Duration = Duration::from_millis(500);
const REPEATS: u32 = 3;

/// Reads the short turns. Their server keeps running, so each goes on with the data that the one before left.
pub(crate) fn short_turns(
    options: &OptionLayers<'_>,
    data: DataUse,
    requests: &Requests,
) -> Result<Option<ShortTurns>, FileError> {
    let count = options.whole("turns", 0..=MOST_TURNS)?.unwrap_or(0);
    let turns = ShortTurns {
        count,
        length: options.time("turn")?.unwrap_or(LENGTH),
        wash_in: options.time("wash_in")?.unwrap_or(WASH_IN),
    };
    let fail = |option: &str, problem: String| Err(options.error(option, problem));
    match count {
        0 => Ok(None),
        _ if data == DataUse::Restored => fail(
            "turns",
            "short turns cannot start with restored data: write turns = 0, or data = \"kept\"".to_owned(),
        ),
        _ if requests.custom().is_some() => fail(
            "turns",
            "a workload from a file needs new data for each turn: write turns = 0".to_owned(),
        ),
        _ if turns.length < SHORTEST => fail("turn", format!("write at least {SHORTEST:?}")),
        _ => Ok(Some(turns)),
    }
}

/// Reads the number of repeats, and of those with a window. Without short turns each repeat is a window.
pub(crate) fn repeated(
    options: &OptionLayers<'_>,
    turns: Option<ShortTurns>,
) -> Result<(u32, u32), FileError> {
    let repeats = options.whole("repeats", 1..=1000)?.unwrap_or(REPEATS);
    let windows = options.whole("windows", 1..=1000)?.unwrap_or(repeats);
    Ok(match turns {
        Some(_) => (repeats, windows),
        None => (repeats, repeats),
    })
}

/// Reads the smallest effect that the study is to show, such as `"5%"`, as a share.
pub(crate) fn effect(options: &OptionLayers<'_>) -> Result<Option<f64>, FileError> {
    let Some(text) = options.text("effect")? else {
        return Ok(None);
    };
    let percent: Option<f64> = text
        .strip_suffix('%')
        .and_then(|number| number.trim().parse().ok());
    match percent {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Ok(Some(percent / 100.0)),
        _ => Err(options.error(
            "effect",
            format!("{text:?} is not a share of the baseline: write \"5%\""),
        )),
    }
}
