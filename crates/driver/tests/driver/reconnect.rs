//! Connections to real servers that are lost in the middle of a drive.

use std::thread;
use std::time::Duration;

use crate::common::drives::{config, drive_and_kill, drive_disturbed, loaded, uniform};
use crate::common::server::{FLAVORS, Flavor, START_LIMIT, Server, signal};
use logtrace_driver::{
    CancellationToken, DISCONNECTED, DriveConfig, DriveResult, EndReason, Outage, OutageCause, TIMED_OUT,
};
use rustix::process::Signal;

const CONNECTIONS: u64 = 8;
const RATE_PER_S: u64 = 200;
const SECONDS: u64 = 5;

fn patient(server: &Server) -> DriveConfig {
    let pace = uniform(RATE_PER_S as f64);
    let config = config(
        server.target("logtrace"),
        "update_key",
        pace,
        Duration::from_secs(SECONDS),
    );
    DriveConfig {
        reconnect_for: START_LIMIT,
        grace: START_LIMIT,
        ..config
    }
}

/// Drives while `happens` does something to the server.
fn drive_while<T: Send>(
    mut server: Server,
    happens: impl FnOnce(&mut Server) -> T + Send,
) -> (DriveResult, T) {
    let config = patient(&server);
    // A restart right after the connections were made could not be told by the server's uptime.
    let after = Duration::from_millis(2500);
    let (measured, _, happened) =
        drive_disturbed(&config, CancellationToken::new(), after, || happens(&mut server));
    (measured, happened)
}

/// All that fell due was sent, and failed only where it was under way.
fn assert_nothing_is_missing(measured: &DriveResult, flavor: Flavor) -> Outage {
    assert_eq!(measured.ended, EndReason::Completed, "{flavor:?}");
    assert_eq!(measured.requests, RATE_PER_S * SECONDS, "{flavor:?}");
    assert_eq!((measured.unsent, measured.unfinished), (0, 0), "{flavor:?}");
    let failed: u64 = measured.errors.values().sum();
    // A request that the server ends with an error of its own leaves the connection to fail with the next one.
    assert!(failed <= 2 * CONNECTIONS, "{flavor:?}: {:?}", measured.errors);
    let broken = measured.errors[&DISCONNECTED];
    assert!((1..=CONNECTIONS).contains(&broken), "{flavor:?}: {broken}");
    let lost: u64 = measured.outages.iter().map(|outage| outage.connections).sum();
    assert_eq!(lost, broken, "{flavor:?}: {:?}", measured.outages);
    measured.outages[0]
}

#[test]
fn a_restart_of_the_server_is_a_gap_with_its_cause() {
    for flavor in FLAVORS {
        let (measured, gone) = drive_while(loaded(flavor), Server::restart);
        let outage = assert_nothing_is_missing(&measured, flavor);
        let mut found = measured.outages.iter().map(|outage| outage.cause);
        assert!(found.all(|cause| cause == OutageCause::Restarted), "{flavor:?}");
        assert!(outage.back > 0, "{flavor:?}");
        // What fell due at the beginning waited for all of it.
        let waited_s = measured.response.max() as f64 / 1e9;
        assert!(
            waited_s > gone.as_secs_f64() / 2.0,
            "{flavor:?}: {waited_s} s of {gone:?}"
        );
    }
}

#[test]
fn connections_that_a_server_ends_come_back_at_once() {
    for flavor in FLAVORS {
        let (measured, ()) = drive_while(loaded(flavor), |server| {
            let ids: Vec<u64> = server.query(
                "SELECT id FROM information_schema.processlist WHERE db = 'logtrace' AND id <> CONNECTION_ID()",
            );
            assert_eq!(ids.len() as u64, CONNECTIONS);
            for id in ids {
                server.run(&format!("KILL {id}"));
            }
        });
        let outage = assert_nothing_is_missing(&measured, flavor);
        assert_eq!(outage.cause, OutageCause::Closed, "{flavor:?}");
        assert_eq!(outage.back, outage.connections, "{flavor:?}");
    }
}

#[test]
fn a_request_past_its_deadline_has_failed_and_those_after_it_are_done() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let config = DriveConfig {
            deadline: Some(Duration::from_millis(400)),
            ..patient(&server)
        };
        let pid = server.pid();
        let second = Duration::from_secs(1);
        let (measured, _, ()) = drive_disturbed(&config, CancellationToken::new(), second, || {
            signal(pid, Signal::STOP);
            thread::sleep(second);
            signal(pid, Signal::CONT);
        });
        assert_eq!(measured.ended, EndReason::Completed, "{flavor:?}");
        assert_eq!((measured.unsent, measured.unfinished), (0, 0), "{flavor:?}");
        // Each connection had one request when the server stopped, and waits for another connection then.
        let late = measured.errors[&TIMED_OUT];
        assert!(
            (CONNECTIONS..=3 * CONNECTIONS).contains(&late),
            "{flavor:?}: {late}"
        );
        assert_eq!(measured.errors.len(), 1, "{flavor:?}: {:?}", measured.errors);
        assert_eq!(measured.outages, [], "{flavor:?}: the server refused nobody");
    }
}

#[test]
fn a_server_that_does_not_come_back_ends_the_drive_when_patience_is_over() {
    for flavor in FLAVORS {
        let server = loaded(flavor);
        let config = DriveConfig {
            reconnect_for: Duration::from_secs(1),
            duration: Duration::from_secs(60),
            ..patient(&server)
        };
        let measured = drive_and_kill(&config, &server);
        assert_eq!(measured.ended, EndReason::ServerGone, "{flavor:?}");
        let [outage] = measured.outages[..] else {
            panic!("{flavor:?}: {:?}", measured.outages);
        };
        assert_eq!((outage.end_ns, outage.cause), (None, OutageCause::Unknown));
        let tried_ns = measured.window.end_ns - outage.start_ns;
        assert!((900_000_000..20_000_000_000).contains(&tried_ns), "{tried_ns} ns");
    }
}
