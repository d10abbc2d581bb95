//! Two servers with one `server_uuid`: the data directory of one is a copy with its `auto.cnf`.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use rustix::process::Signal;

use super::all_variables::{all_variables, assert_same};
use super::{SET, databases, tables};
use crate::common::{beside_others, patiently, send};
use crate::faults::fixture::home::{Home, LONG, SHORT, entries};
use crate::faults::fixture::same_server::{Again, SameServer};
use crate::faults::fixture::started::Started;

/// Restarts `copy` with the identity of `original`.
fn with_identity_of(original: &Foreign, copy: &Foreign) -> Again {
    let identity = |server: &Foreign| {
        let directory: String = server.ask("SELECT @@datadir");
        PathBuf::from(directory).join("auto.cnf")
    };
    let (from, to) = (identity(original), identity(copy));
    let restarted = SameServer::of(copy.pid());
    send(copy.pid(), Signal::KILL);
    patiently("its end", || UnixStream::connect(copy.socket()).is_err());
    fs::write(to, fs::read(from).unwrap()).unwrap();
    // It names a process that is not waited for yet.
    fs::remove_file(copy.socket().with_extension("lock")).unwrap();
    let again = restarted.start();
    patiently("the server", || UnixStream::connect(copy.socket()).is_ok());
    let uuid = |server: &Foreign| server.ask::<String>("SELECT @@server_uuid");
    assert_eq!(uuid(original), uuid(copy));
    again
}

#[test]
fn the_note_of_one_stays_when_the_other_is_measured() {
    let _turn = beside_others();
    let (first, second) = (Foreign::start(Flavor::MySql), Foreign::start(Flavor::MySql));
    let _running = with_identity_of(&first, &second);
    let before = [&first, &second].map(all_variables);
    let home = Home::new();
    let kill = |server: &Foreign| {
        let run = home.start(&format!("--server {} {SET} {LONG}", server.address("root")));
        run.waiting_for("the tables", || tables(server) > 0);
        run.signal(Signal::KILL);
        run.ended();
    };
    kill(&first);
    let notes = || entries(&home.path().join("notes"));
    let of_first = notes();
    assert_eq!(of_first.len(), 1);

    let server = second.address("root");
    let other = home.run(&format!("--server {server} {SET} --no-trace {SHORT}"));
    assert!(matches!(other.code, Some(0 | 3)), "{}", other.stderr);
    assert_eq!(notes(), of_first, "the note of the first server");
    assert_same(&before[1], &second, "the second server");
    assert_eq!(first.ask::<u32>("SELECT @@GLOBAL.sync_binlog"), 0);

    // Both are changed at once: each has a note.
    kill(&second);
    assert_eq!(notes().len(), 2);
    let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
    for (before, server) in before.iter().zip([&first, &second]) {
        assert_same(before, server, &cleaned.stdout);
        assert_eq!(databases(server), 0);
    }
    assert_eq!(notes(), Vec::<PathBuf>::new());
}
