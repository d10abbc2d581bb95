//! How exact the pacer is, against the best and the worst way to wait. Alone in its binary: no other test of ours
//! runs at the same time.

use std::thread;
use std::time::Duration;

use crate::common::drives::{config, drive_to_end, load_dataset, uniform};
use crate::common::server::{FLAVORS, Server};
use logtrace_driver::{Arrivals, DriveConfig, PaceRound, WaitMethod, pace_lag};
use logtrace_testkit::{alone, one_or_all};

const ROUNDS: usize = 12;

/// Other programs may take the CPUs for as long as an attempt takes.
const ATTEMPTS: usize = 3;

const RATE_PER_S: f64 = 1000.0;
const ROUND: Duration = Duration::from_millis(250);

fn median_lag(waiting: WaitMethod) -> u64 {
    let turn = PaceRound {
        rate_per_s: RATE_PER_S,
        arrivals: Arrivals::Uniform,
        seed: 0,
        length: ROUND,
    };
    let lags = pace_lag(waiting, &turn).unwrap();
    assert_eq!(lags.due(), 250);
    lags.histogram().value_at_quantile(0.5)
}

/// Median over interleaved rounds, so that a busy moment of the machine hits all ways of waiting alike.
fn medians<const N: usize>(mut ways: [Box<dyn FnMut() -> u64 + '_>; N]) -> [u64; N] {
    let mut rounds = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (medians, way) in rounds.iter_mut().zip(&mut ways) {
            medians.push(way());
        }
    }
    rounds.map(|mut medians| {
        medians.sort_unstable();
        medians[ROUNDS / 2]
    })
}

#[test]
fn the_pacer_is_about_as_exact_as_a_bare_timer_and_tokios_timer_is_not() {
    let _alone = alone();
    let [pacer, bare, tokio] = medians([
        Box::new(|| median_lag(WaitMethod::Pacer)),
        Box::new(|| median_lag(WaitMethod::BareTimer)),
        Box::new(|| median_lag(WaitMethod::TokioTimer)),
    ]);
    println!("median lag in ns: pacer {pacer}, bare timerfd {bare}, tokio {tokio}");
    assert!(2 * pacer <= 3 * bare, "pacer {pacer} ns, bare timerfd {bare} ns");
    assert!(2 * tokio > 3 * bare, "tokio {tokio} ns, bare timerfd {bare} ns");
}

/// The median lags of requests to a server and of a bare timer beside them, so that both see the same machine.
fn beside(config: &DriveConfig) -> (u64, u64) {
    thread::scope(|scope| {
        let bare = scope.spawn(|| median_lag(WaitMethod::BareTimer));
        let sent = drive_to_end(config).lag.value_at_quantile(0.5);
        (sent, bare.join().unwrap())
    })
}

/// Median lags in ns: of requests to a server, of a bare timer beside them, and of tokio's timer.
fn sent_beside(config: &DriveConfig) -> [u64; 3] {
    let mut bare = Vec::new();
    let [sent, tokio] = medians([
        Box::new(|| {
            let (sent, beside) = beside(config);
            bare.push(beside);
            sent
        }),
        Box::new(|| median_lag(WaitMethod::TokioTimer)),
    ]);
    bare.sort_unstable();
    [sent, bare[ROUNDS / 2], tokio]
}

#[test]
fn requests_leave_for_a_real_server_as_soon_as_the_timer_fires() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        load_dataset(&target, crate::common::drives::DATASET);
        let config = config(target, "point_select", uniform(RATE_PER_S), ROUND);
        let mut late = Vec::new();
        while late.len() < ATTEMPTS {
            let [sent, bare, tokio] = sent_beside(&config);
            println!("{flavor:?}: median lag in ns: requests {sent}, bare timerfd {bare}, tokio {tokio}");
            if 2 * sent <= 3 * bare && 3 * sent <= tokio {
                break;
            }
            late.push([sent, bare, tokio]);
        }
        assert!(late.len() < ATTEMPTS, "{flavor:?}: {late:?}");
    }
}
