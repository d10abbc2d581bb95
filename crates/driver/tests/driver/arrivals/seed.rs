//! One seed, the same requests.

use std::time::Duration;

use logtrace_driver::{ArrivalTimes, Arrivals, CancellationToken, EndReason, Pace};

use crate::common::drives::{config, drive_and_observe, loaded};
use crate::common::server::{FLAVORS, Server};
use logtrace_testkit::beside_others;

/// When the requests of a second were due, and their statements with all keys.
fn requests(server: &Server, pace: Pace, seed: u64) -> (Vec<u64>, Vec<String>) {
    let target = server.target("logtrace");
    let mut config = config(target, "point_select", pace, Duration::from_secs(1));
    config.dataset.seed = seed;
    config.dataset.keys = "zipfian:0.5".parse().unwrap();
    let before = server.general_log().len();
    let (measured, requests) = drive_and_observe(&config, CancellationToken::new()).unwrap();
    assert_eq!(measured.ended, EndReason::Completed);
    let mut due: Vec<u64> = requests
        .iter()
        .map(|request| request.due_ns - measured.window.start_ns)
        .collect();
    due.sort_unstable();
    // Connections may overtake each other on the server.
    let mut statements: Vec<String> = server.general_log()[before..]
        .lines()
        .filter_map(|line| line.rsplit_once("Execute\t"))
        .map(|(_, sql)| sql.to_owned())
        .collect();
    statements.sort_unstable();
    assert_eq!(statements.len(), due.len());
    (due, statements)
}

#[test]
fn a_seed_means_the_same_arrivals_and_keys_and_a_replay_keeps_the_arrivals_alone() {
    let _turn = beside_others();
    for flavor in FLAVORS {
        let server = loaded(flavor);
        server.run("SET GLOBAL general_log = ON");
        let poisson = Pace::Open {
            rate_per_s: 400.0,
            arrivals: Arrivals::Poisson,
        };
        let first = requests(&server, poisson.clone(), 1);
        assert_eq!(requests(&server, poisson.clone(), 1), first, "{flavor:?}");
        let other = requests(&server, poisson, 2);
        assert!(other.0 != first.0 && other.1 != first.1, "{flavor:?}");

        let mut text = Vec::new();
        ArrivalTimes::write(&mut text, first.0.iter().copied(), 1_000_000_000).unwrap();
        let times = ArrivalTimes::read("recorded", std::str::from_utf8(&text).unwrap()).unwrap();
        let replay = Pace::Replayed(times);
        assert_eq!(requests(&server, replay.clone(), 1), first, "{flavor:?}");
        let (due, statements) = requests(&server, replay, 2);
        assert!(due == first.0 && statements != first.1, "{flavor:?}");
    }
}
