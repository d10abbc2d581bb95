//! How exact the pacer is, against the best and the worst way to wait. Alone in its binary: no other test of ours
//! runs at the same time.

use std::time::Duration;

use logtrace_driver::{Waiting, pace_lag};

const ROUNDS: usize = 12;

fn median_of_round(waiting: Waiting) -> u64 {
    let lags = pace_lag(waiting, 1000.0, Duration::from_millis(250)).unwrap();
    assert_eq!(lags.len(), 250);
    lags.value_at_quantile(0.5)
}

/// Median over interleaved rounds, so that a busy moment of the machine hits all ways of waiting alike.
fn medians() -> [u64; 3] {
    let mut rounds = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let ways = [Waiting::Pacer, Waiting::BareTimer, Waiting::TokioTimer];
        for (medians, way) in rounds.iter_mut().zip(ways) {
            medians.push(median_of_round(way));
        }
    }
    rounds.map(|mut medians| {
        medians.sort_unstable();
        medians[ROUNDS / 2]
    })
}

#[test]
fn the_pacer_is_about_as_exact_as_a_bare_timer_and_tokios_timer_is_not() {
    let [pacer, bare, tokio] = medians();
    println!("median lag in ns: pacer {pacer}, bare timerfd {bare}, tokio {tokio}");
    assert!(2 * pacer <= 3 * bare, "pacer {pacer} ns, bare timerfd {bare} ns");
    assert!(2 * tokio > 3 * bare, "tokio {tokio} ns, bare timerfd {bare} ns");
}
