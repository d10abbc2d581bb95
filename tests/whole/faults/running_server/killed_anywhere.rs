//! A run that is killed between any two statements that change a server, and between any two steps of its note.

use std::path::PathBuf;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_testkit::long::{is_long, one_or_all};
use nix::sys::signal::Signal;

use super::all_variables::{all_variables, assert_same};
use super::databases;
use super::stopped::{Calls, signalled_at};
use crate::common::{beside_others, patiently};
use crate::faults::fixture::home::{Home, entries};
use crate::faults::fixture::started::Started;

/// What the statements of setting and restoring have in them, and the text of a note.
const WORDS: [&str; 7] = [
    "@@GLOBAL",
    "SET GLOBAL",
    "_LOCK(",
    "CREATE DATABASE",
    "logtrace_marker (id",
    "DROP DATABASE",
    "\"schema\"",
];

/// What is set: a number, a floating-point number, a truth value, a text and a list.
const SETTINGS: &str = "--set sync_binlog=0 --set long_query_time=0.25 --set slow_query_log=ON \
                        --set init_connect=DO'1' --set optimizer_switch=mrr=off";

/// What keeps a run short.
const SHORTEST: &str =
    "--no-trace --connections 1 --tables 1 --rows 1 --warmup 10ms --duration 100ms --rate 20/s";

/// Distance of the stops that are tried: all of them in a long run.
fn step() -> u32 {
    if is_long() { 1 } else { 5 }
}

/// The connections of runs that the server still has.
fn sessions(foreign: &Foreign) -> u32 {
    foreign.ask(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'",
    )
}

#[test]
fn it_is_given_back_after_a_kill_between_any_two_statements() {
    let _turn = beside_others();
    for &flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        let foreign = Foreign::start(flavor);
        let before = all_variables(&foreign);
        let arguments = format!("run --server {} {SETTINGS} {SHORTEST}", foreign.address("root"));
        let (mut changed, mut number) = (0, 1);
        loop {
            let home = Home::new();
            let calls = Calls {
                words: &WORDS,
                are_of_files: true,
            };
            let end = signalled_at(number, Signal::SIGKILL, &mut home.logtrace(&arguments), &calls);
            let when = format!("{flavor}, stop {number}: {end:?}");
            if end.at.is_none() {
                assert!(matches!(end.code, Some(0 | 3)), "{when}");
                break;
            }
            if when.contains("CREATE ") || when.contains("DROP ") {
                // The server goes on with what was sent. Only what changes variables is sent under the lock.
                patiently("the end of its sessions", || sessions(&foreign) == 0);
            }
            changed += u32::from(foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog") == 0);
            let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
            assert_eq!(cleaned.code, Some(0), "{when}: {}", cleaned.stdout);
            assert_same(&before, &foreign, &when);
            assert_eq!(databases(&foreign), 0, "{when}");
            assert_eq!(
                entries(&home.path().join("notes")),
                Vec::<PathBuf>::new(),
                "{when}"
            );
            number += step();
        }
        assert_same(&before, &foreign, "after the run that nobody killed");
        // Five are set, read and read back, twice, with the lock, the note and the database.
        assert!(
            number > 60 && changed * step() > 10,
            "{flavor}: {number} stops, {changed} changed"
        );
    }
}

#[test]
fn it_is_given_back_after_an_interrupt_at_any_statement_that_sets() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let before = all_variables(&foreign);
    let arguments = format!("run --server {} {SETTINGS} {SHORTEST}", foreign.address("root"));
    let mut number = 1;
    loop {
        let home = Home::new();
        let mut run = home.logtrace(&arguments);
        let calls = Calls {
            words: &["SET GLOBAL"],
            are_of_files: true,
        };
        let end = signalled_at(number, Signal::SIGINT, &mut run, &calls);
        let when = format!("stop {number}: {end:?}");
        if end.at.is_none() {
            break;
        }
        assert_same(&before, &foreign, &when);
        assert_eq!(databases(&foreign), 0, "{when}");
        assert_eq!(
            entries(&home.path().join("notes")),
            Vec::<PathBuf>::new(),
            "{when}"
        );
        number += step();
    }
    assert!(number > 20, "{number} stops");
}
