//! A server that dies or stops while it is measured.

use std::thread::sleep;
use std::time::Duration;

use logtrace_attribution::breakdown::Distribution;
use logtrace_report::document::CaveatKind;
use logtrace_testkit::one_or_all;
use rustix::process::Signal;

use super::fixture::home::{Home, LONG};
use crate::common::{SERVERS, alone, beside_others, driver, send, tells};

#[test]
fn a_server_that_dies_leaves_what_was_measured_until_then() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let home = Home::new();
        let run = home.start(&format!("--server {server} {LONG}")).measuring();
        send(run.server(), Signal::KILL);
        let ended = run.ended();
        let document = ended.measured();
        assert_eq!(ended.code, Some(3), "{server}");
        assert!(
            tells(&document, &CaveatKind::ServerDied),
            "{server}: {:?}",
            document.caveats
        );
        let commits = document.commits.as_ref().unwrap();
        assert!(driver(&document).done > 0 && commits.count > 0, "{server}");
        let charged: u64 = document.causes.iter().map(|cause| cause.total).sum();
        assert_eq!(charged, commits.total, "{server}");
        home.assert_nothing_left();
    }
}

/// Time for which the server stops.
const STOPPED: Duration = Duration::from_secs(1);

#[test]
fn a_server_that_stops_for_a_second_is_measured_and_nothing_is_lost() {
    let _alone = alone();
    let home = Home::new();
    let long = LONG.replace("60s", "4s");
    let run = home.start(&format!("--server mysql {long}")).measuring();
    let server = run.server();
    send(server, Signal::STOP);
    sleep(STOPPED);
    send(server, Signal::CONT);
    let document = run.ended().measured();
    let driver = driver(&document);
    assert_eq!(driver.done, driver.requests, "{:?}", document.caveats);
    assert_eq!((driver.unsent, driver.unfinished), (0, 0));
    assert!(driver.errors.is_empty(), "{:?}", driver.errors);
    assert_eq!(document.tracer.as_ref().unwrap().lost, 0);
    // Eight requests were sent when it stopped; those that were due meanwhile waited as long, but for a connection.
    let stopped_ns = STOPPED.as_nanos() as u64;
    let waited = |distribution: &Distribution| distribution.max > stopped_ns * 7 / 10;
    assert!(waited(&driver.service) && waited(&driver.response) && waited(&driver.lag));
    home.assert_nothing_left();
}
