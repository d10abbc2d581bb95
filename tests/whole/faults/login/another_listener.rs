//! A real server, and a stranger's process that listens on the same port: beside it, or after it.

use std::net::TcpStream;

use rustix::process::Signal;

use super::impostor::{Impostor, with_password};
use super::listening::{PASSWORD, listening};
use crate::common::{beside_others, patiently, send};
use crate::faults::fixture::home::{Home, SHORT, entries};
use crate::faults::fixture::started::{Ended, Started};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::free_port;

/// A run over TCP. MySQL's usual accounts need the key of the server, if the connection is plain.
fn run(home: &Home, host: &str, port: u16) -> Ended {
    let address = format!("mysql://bench@{host}:{port}/?get-server-public-key=true");
    with_password(home, &format!("run --no-trace --server {address} {SHORT}"))
}

#[test]
fn beside_a_server_on_every_ipv6_address_it_gets_nothing() {
    let _turn = beside_others();
    let port = free_port();
    // MariaDB does not take IPv4 there.
    let _foreign = listening(Flavor::MariaDb, "[::]", port);
    let home = Home::new();
    let impostor = Impostor::start(&home, &port.to_string());
    run(&home, "127.0.0.1", port).refused(1, &["user nobody", "any user can listen", "Nothing was sent"]);
    assert!(impostor.met() > 0);
    impostor.assert_got_nothing();
    // The server itself.
    run(&home, "[::1]", port).measured();
    impostor.assert_got_nothing();
}

#[test]
fn on_every_ipv6_address_it_does_not_keep_runs_from_a_server_on_ipv4() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let port = free_port();
        let home = Home::new();
        // Its process comes first.
        let impostor = Impostor::start(&home, &format!("[::]:{port}"));
        let foreign = listening(flavor, "127.0.0.1", port);
        run(&home, "127.0.0.1", port).measured();
        assert_eq!(impostor.met(), 0);
        let (_, aborted): (String, u64) = foreign.ask("SHOW GLOBAL STATUS LIKE 'Aborted_clients'");
        assert_eq!(aborted, 0, "{flavor}: each connection is closed in order");
    }
}

#[test]
fn on_the_port_of_a_server_that_died_it_gets_nothing() {
    let _turn = beside_others();
    // This MariaDB makes no certificate by itself.
    for (flavor, modes) in [
        (Flavor::MySql, &["disabled", "required"][..]),
        (Flavor::MariaDb, &["disabled"]),
    ] {
        for mode in modes {
            let port = free_port();
            let foreign = listening(flavor, "127.0.0.1", port);
            let home = Home::new();
            let address =
                format!("mysql://bench@127.0.0.1:{port}/?get-server-public-key=true&ssl-mode={mode}");
            let mut command = home.logtrace(&format!(
                "run --no-trace --server {address} --set sync_binlog=0 --reconnect 60s --tables 1 --rows 500 \
                 --warmup 300ms --duration 60s --rate 200/s"
            ));
            command.env("LOGTRACE_PASSWORD", PASSWORD);
            let run = Started::new(command, home.path()).measuring();
            send(foreign.pid(), Signal::KILL);
            patiently("its end", || TcpStream::connect(("127.0.0.1", port)).is_err());
            let impostor = Impostor::start(&home, &port.to_string());
            run.waiting_for("connections to the impostor", || impostor.met() > 8);
            run.signal(Signal::INT);
            run.ended();
            impostor.assert_got_nothing();

            // What cleans up after it knows the server, too.
            assert_eq!(entries(&home.path().join("notes")).len(), 1);
            let met = impostor.met();
            let cleaned = with_password(&home, &format!("doctor --clean {address}"));
            assert_eq!(cleaned.code, Some(1), "{}", cleaned.stdout);
            assert!(cleaned.stdout.contains("Nothing was sent"), "{}", cleaned.stdout);
            assert!(impostor.met() > met);
            impostor.assert_got_nothing();
        }
    }
}
