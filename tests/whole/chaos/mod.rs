//! Chaos: logtrace, its server or both are killed at random moments. After the next start nothing is left, and what was
//! measured is readable. `scripts/chaos` plays many rounds.

mod checks;
mod round;
mod stage;

use std::env;

use self::round::{Round, SEED, Work};
use self::stage::{Stage, settings};
use crate::common::beside_others;

/// Rounds of a usual test.
const ROUNDS: u32 = 10;

/// Returns the number in an environment variable of `scripts/chaos`.
fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    let number = text.parse().ok();
    assert!(number.is_some(), "{name}={text} is no number");
    number
}

#[test]
fn after_a_kill_at_any_moment_the_next_start_finds_and_leaves_all_in_order() {
    let _turn = beside_others();
    let seed = number("LOGTRACE_CHAOS_SEED").unwrap_or(SEED);
    let first = number("LOGTRACE_CHAOS_FIRST").unwrap_or(0);
    let rounds = number("LOGTRACE_CHAOS_ROUNDS").unwrap_or(ROUNDS);
    let mut stage = Stage::new();
    for number in first..first + rounds {
        let round = Round::draw(seed, number);
        println!("seed {seed} round {number}: {round:?}");
        play(&mut stage, &round);
    }
}

fn play(stage: &mut Stage, round: &Round) {
    let is_running = matches!(round.work, Work::RunningServer | Work::Trace);
    let before = is_running.then(|| settings(stage.running(round.flavor)));
    let (ended, server_killed) = stage.play(round);
    let groups = stage.home.control_groups();
    println!("  {:?}, server killed: {server_killed}", ended.code);
    checks::ended_well(stage, round, &ended);
    checks::start_again(stage, round, server_killed);
    checks::nothing_is_left(stage, &groups);
    checks::runs_are_readable(stage);
    if let Some(before) = before {
        if server_killed {
            stage.forget_running(round.flavor);
        } else {
            let now = settings(stage.running(round.flavor));
            let differ: Vec<_> = now.iter().filter(|setting| !before.contains(setting)).collect();
            assert!(
                differ.is_empty() && now.len() == before.len(),
                "changed: {differ:?}"
            );
        }
    }
    checks::forget_runs(stage);
    if round.work == Work::Study {
        checks::study_goes_on(stage, round);
        checks::nothing_is_left(stage, &groups);
    }
}
