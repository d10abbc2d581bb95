//! The benchmark's table, of a few seconds on each server.

use std::num::NonZeroUsize;
use std::time::Duration;

use logtrace_driver::{Arrivals, PacePlan, WaitMethod};
use logtrace_server::ServerChoice;

use crate::common::alone;
use logtrace_benchkit::SharedServer;
use logtrace_benchkit::lag::{Compared, RUN, RUN_TRACED, SPIN, SPIN_TRACED, SYSBENCH, compare, load};

const RATE_PER_S: f64 = 1_000.0;
const ROUND: Duration = Duration::from_secs(1);
const PLAN: PacePlan<'_> = PacePlan {
    rates_per_s: &[RATE_PER_S],
    rounds: 1,
    round: ROUND,
    arrivals: Arrivals::Poisson,
};
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Other programs may take the CPUs for as long as an attempt takes.
const ATTEMPTS: usize = 4;

#[test]
#[ignore = "long: the table of lags again, on the other server"]
fn clients_of_mysql_are_measured_next_to_bare_timers() {
    clients_are_measured("mysql");
}

#[test]
fn clients_of_mariadb_are_measured_next_to_bare_timers() {
    clients_are_measured("mariadb");
}

fn clients_are_measured(server: &str) {
    let _alone = alone();
    let choice: ServerChoice = server.parse().unwrap();
    let server = SharedServer::start(choice, Vec::new()).unwrap();
    load(&server).unwrap();
    let mut told = server.facts().version.clone();
    let as_expected = (0..ATTEMPTS).any(|_| {
        let compared = compare(&server, CONNECTIONS, &PLAN, &mut |_, _| {}).unwrap();
        told += &format!("\n{}", compared.table);
        check(&compared);
        is_in_order(&compared)
    });
    server.stop().unwrap();
    assert!(as_expected, "{told}");
}

/// What holds however busy the machine is.
fn check(compared: &Compared) {
    let table = &compared.table;
    assert_eq!(table.rows().len(), WaitMethod::ALL.len() + 5, "{table}");
    let expected = RATE_PER_S * ROUND.as_secs_f64();
    for row in table.rows() {
        // Six standard deviations of a Poisson process.
        let off = (row.lags.due() as f64 - expected).abs();
        assert!(off < 6.0 * expected.sqrt(), "{}: {table}", row.name);
    }
    // The same requests, seen twice: the driver notes the time, and then it sends.
    for (noted, traced) in [(RUN, RUN_TRACED), (SPIN, SPIN_TRACED)] {
        let lags = |name| &table.row(RATE_PER_S, name).unwrap().lags;
        assert_eq!(lags(noted).due(), lags(traced).due(), "{table}");
        assert!(
            lags(noted).histogram().mean() < lags(traced).histogram().mean(),
            "{table}"
        );
    }
    let unseen = &compared.unseen;
    assert!(matches!(unseen[..], [(RATE_PER_S, 0.0..1.0)]), "{unseen:?}");
}

/// What a machine shows that has some CPU time to spare.
fn is_in_order(compared: &Compared) -> bool {
    let table = &compared.table;
    let median = |name: &str| {
        let row = table.row(RATE_PER_S, name).unwrap();
        row.lags.histogram().value_at_quantile(0.5)
    };
    let tokio = median(WaitMethod::TokioTimer.name());
    let bare = median(WaitMethod::BareTimer.name());
    let all_in_time = table.rows().iter().all(|row| row.lags.achieved() > 0.98);
    // Between noting the time and sending lies the encoding of a few bytes.
    let is_sent_when_noted = median(RUN_TRACED) < 2 * median(RUN);
    // tokio's timer waits for whole milliseconds; sysbench's generator is woken as late as the default timer slack allows,
    // and then wakes another thread.
    all_in_time && is_sent_when_noted && 2 * median(RUN) < tokio && bare < median(SYSBENCH)
}
