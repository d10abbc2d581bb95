//! A run that is killed while it fills its tables, and a next one that fails before it makes any.

use std::path::PathBuf;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use nix::sys::signal::Signal::SIGKILL;
use rustix::process::Signal;

use super::stopped::{Calls, signalled_at};
use super::{SET, assert_as_it_was, databases, tables};
use crate::common::beside_others;
use crate::faults::fixture::home::{Home, SHORT, entries};
use crate::faults::fixture::started::Started;

#[test]
fn its_database_is_dropped_although_the_next_run_fails() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let home = Home::new();
    let server = format!("--server {} {SET}", foreign.address("root"));
    let run = home.start(&format!("{server} --tables 1 --rows 5000000"));
    run.waiting_for("the tables", || tables(&foreign) > 0);
    run.signal(Signal::KILL);
    run.ended();
    home.run(&format!("{server} --set no_such_variable=1 {SHORT}"))
        .refused(1, &["no_such_variable"]);
    assert_eq!(databases(&foreign), 1);
    let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
    assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
    assert_as_it_was(&foreign);
    assert_eq!(entries(&home.path().join("notes")), Vec::<PathBuf>::new());
}

/// Kills a run between the statement that creates its database and the one that marks it.
fn killed_before_the_mark(home: &Home, server: &str) {
    let mut run = home.logtrace(&format!("run {server} --no-trace {SHORT}"));
    let calls = Calls {
        words: &["logtrace_marker (id"],
        are_of_files: false,
    };
    let end = signalled_at(1, SIGKILL, &mut run, &calls);
    let at = end.at.unwrap();
    assert!(at.starts_with("before ") && at.contains("CREATE TABLE"), "{at}");
}

#[test]
fn its_database_without_a_mark_does_not_refuse_the_next_run_and_stays_if_somebody_used_it() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let home = Home::new();
        let server = format!("--server {} {SET}", foreign.address("root"));
        killed_before_the_mark(&home, &server);
        assert_eq!((databases(&foreign), tables(&foreign)), (1, 0));
        let next = home.run(&format!("{server} --no-trace {SHORT}"));
        assert!(matches!(next.code, Some(0 | 3)), "{}", next.stderr);
        assert_as_it_was(&foreign);

        killed_before_the_mark(&home, &server);
        foreign.tell("CREATE TABLE logtrace.precious (id INT PRIMARY KEY)");
        let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
        assert!(
            cleaned.stdout.contains("The database logtrace stays"),
            "{}",
            cleaned.stdout
        );
        home.run(&format!("{server} --no-trace {SHORT}"))
            .refused(1, &["did not make"]);
        assert_eq!((databases(&foreign), tables(&foreign)), (1, 1));
        foreign.tell("DROP DATABASE logtrace");
        assert_as_it_was(&foreign);
        assert_eq!(entries(&home.path().join("notes")), Vec::<PathBuf>::new());
    }
}
