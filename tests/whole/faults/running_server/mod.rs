//! A server that runs already: it is given back as it was, whatever happens.

mod all_variables;
mod copied_uuid;
mod killed_anywhere;
mod killed_in_load;
mod limits;
mod second_signal;
mod stopped;

use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::common::{beside_others, patiently, send, tells};
use crate::faults::fixture::home::{Home, LONG, SHORT, entries};
use crate::faults::fixture::same_server::SameServer;
use crate::faults::fixture::started::{Ended, Started};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::CaveatKind;
use logtrace_testkit::one_or_all;

fn databases(foreign: &Foreign) -> u32 {
    foreign.ask("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'logtrace'")
}

/// The tables in the database of a run. Until it has its first one, it is not known to be of logtrace.
fn tables(foreign: &Foreign) -> u32 {
    foreign.ask("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'logtrace'")
}

/// Fails unless the settings and databases are as they were.
fn assert_as_it_was(foreign: &Foreign) {
    let settings: (u32, f64) = foreign.ask("SELECT @@GLOBAL.sync_binlog, @@GLOBAL.long_query_time");
    assert_eq!(settings, (1, 10.0));
    assert_eq!(databases(foreign), 0);
}

/// The settings of each run.
const SET: &str = "--set sync_binlog=0 --set long_query_time=5";

#[test]
fn it_has_its_settings_again_and_no_tables_after_every_kind_of_end() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let server = format!("--server {} {SET}", foreign.address("root"));

        let home = Home::new();
        let document = home.run(&format!("{server} {SHORT}")).measured();
        assert_eq!(document.server.settings["sync_binlog"], "0");
        assert!(!document.server.private && document.commits.as_ref().unwrap().count > 0);
        home.assert_nothing_left();
        assert_as_it_was(&foreign);

        let home = Home::new();
        let run = home.start(&format!("{server} {LONG}")).measuring();
        assert_eq!(
            (
                foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"),
                databases(&foreign)
            ),
            (0, 1)
        );
        run.signal(Signal::INT);
        assert!(tells(&run.ended().measured(), &CaveatKind::Interrupted));
        assert_as_it_was(&foreign);

        let home = Home::new();
        let run = home.start(&format!("{server} {LONG}")).measuring();
        // Two kinds: of two of one kind, the kernel may make one.
        run.signal(Signal::INT);
        run.signal(Signal::TERM);
        run.ended().refused(1, &["stopped at once"]);
        home.assert_untouched();
        assert_as_it_was(&foreign);

        let home = Home::new();
        let run = home.start(&format!("{server} --tables 1 --rows 5000000"));
        run.waiting_for("the tables", || databases(&foreign) == 1);
        run.signal(Signal::INT);
        run.ended().refused(1, &["interrupted before"]);
        home.assert_untouched();
        assert_as_it_was(&foreign);
    }
}

#[test]
fn it_is_given_back_after_a_killed_run() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let server = |user: &str| format!("--server {} {SET}", foreign.address(user));
        let changed = || foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog") == 0;
        let kill = |home: &Home, user: &str| {
            let run = home.start(&format!("{} {LONG}", server(user))).measuring();
            run.signal(Signal::KILL);
            run.ended();
            assert!(changed() && databases(&foreign) == 1, "{flavor}");
        };

        let home = Home::new();
        kill(&home, "root");
        let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
        assert!(
            cleaned.stdout.contains("SET GLOBAL sync_binlog = 1"),
            "{}",
            cleaned.stdout
        );
        assert_as_it_was(&foreign);
        let again = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert!(again.stdout.contains("left nothing behind"), "{}", again.stdout);

        // The next run takes the values before the killed run for the old ones.
        let home = Home::new();
        kill(&home, "root");
        let next = home
            .start(&format!("{} --no-trace {SHORT}", server("root")))
            .ended();
        assert!(matches!(next.code, Some(0 | 3)), "{}", next.stderr);
        assert_as_it_was(&foreign);
        assert_eq!(entries(&home.path().join("notes")), Vec::<PathBuf>::new());

        // Nobody can log in: the statements are named, and the note stays.
        foreign.tell("CREATE USER guest@localhost");
        foreign.tell("GRANT ALL ON *.* TO guest@localhost");
        let home = Home::new();
        kill(&home, "guest");
        foreign.tell("ALTER USER guest@localhost IDENTIFIED BY 'right'");
        let with = |password: &str| {
            let mut command = home.logtrace(&format!("doctor --clean {}", foreign.address("guest")));
            command.env("LOGTRACE_PASSWORD", password);
            Started::new(command, home.path()).ended()
        };
        let refused = with("wrong");
        assert_eq!(refused.code, Some(1));
        for word in ["NO ", "SET GLOBAL sync_binlog = 1", "DROP DATABASE", "denied"] {
            assert!(refused.stdout.contains(word), "{word}: {}", refused.stdout);
        }
        assert_eq!(with("right").code, Some(0));
        assert_as_it_was(&foreign);
    }
}

#[test]
fn a_run_on_another_server_says_what_a_killed_run_left() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let home = Home::new();
    let run = home.start(&format!("--server {} {SET} {LONG}", foreign.address("root")));
    let run = run.measuring();
    run.signal(Signal::KILL);
    run.ended();
    let next = home.run(&format!("--server mariadb --no-trace {SHORT}"));
    for word in [
        "SET GLOBAL sync_binlog = 1",
        "DROP DATABASE",
        "logtrace doctor --clean",
    ] {
        assert!(next.stderr.contains(word), "{word}: {}", next.stderr);
    }
    let same = home.run(&format!(
        "--server {} --no-trace {SHORT}",
        foreign.address("root")
    ));
    assert!(!same.stderr.contains("SET GLOBAL"), "{}", same.stderr);
    assert_as_it_was(&foreign);
}

#[test]
fn it_is_told_what_remains_when_it_dies_first() {
    let _turn = beside_others();
    for flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        let foreign = Foreign::start(*flavor);
        let restarted = SameServer::of(foreign.pid());
        let home = Home::new();
        let run = home
            .start(&format!("--server {} {SET} {LONG}", foreign.address("root")))
            .measuring();
        send(foreign.pid(), Signal::KILL);
        let ended = run.ended();
        let document = ended.measured();
        let caveats: Vec<&str> = document.caveats.iter().map(|caveat| &*caveat.text).collect();
        assert!(
            tells(&document, &CaveatKind::ServerDied) && tells(&document, &CaveatKind::NotGivenBack),
            "{caveats:?}"
        );
        let notes = entries(&home.path().join("notes"));
        let [note] = notes.as_slice() else {
            panic!("{notes:?}")
        };
        for word in [
            "sync_binlog, long_query_time, database logtrace",
            "doctor --clean",
            note.to_str().unwrap(),
        ] {
            assert!(ended.stderr.contains(word), "no {word:?} in: {}", ended.stderr);
            assert!(
                caveats.iter().any(|text| text.contains(word)),
                "no {word:?} in: {caveats:?}"
            );
        }

        // What it says is true, once somebody starts the server again.
        let _running = restarted.start();
        patiently("the server", || UnixStream::connect(foreign.socket()).is_ok());
        assert_eq!(databases(&foreign), 1);
        let cleaned = Started::new(home.logtrace("doctor --clean"), home.path()).ended();
        assert_eq!(cleaned.code, Some(0), "{}", cleaned.stdout);
        assert_as_it_was(&foreign);
        assert_eq!(entries(&home.path().join("notes")), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_second_run_on_it_is_refused() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let server = format!("--server {} {SET}", foreign.address("root"));
        let (first, second) = (Home::new(), Home::new());
        let run = first.start(&format!("{server} {LONG}")).measuring();
        second.run(&format!("{server} --no-trace {SHORT}")).refused(
            1,
            &["another logtrace", "connection ", "user root from localhost"],
        );
        second.assert_untouched();
        run.signal(Signal::INT);
        run.ended().measured();
        assert_as_it_was(&foreign);
        second.run(&format!("{server} --no-trace {SHORT}")).measured();
    }
}

#[test]
fn connections_that_it_ends_are_made_again_and_the_gap_is_told() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let home = Home::new();
        let server = format!("--server {}", foreign.address("root"));
        let run = home
            .start(&format!(
                "{server} --tables 1 --rows 500 --warmup 300ms --duration 4s --rate 100/s"
            ))
            .measuring();
        let ids: Vec<u64> =
            foreign.ask_all("SELECT id FROM information_schema.processlist WHERE db = 'logtrace'");
        for id in &ids {
            foreign.tell(&format!("KILL {id}"));
        }
        let document = run.ended().measured();
        assert!(
            tells(&document, &CaveatKind::ConnectionsLost),
            "{:?}",
            document.caveats
        );
        let driver = document.driver.as_ref().unwrap();
        let lost: u64 = driver.outages.iter().map(|outage| outage.connections).sum();
        assert!((1..=ids.len() as u64).contains(&lost), "{:?}", driver.outages);
        assert_eq!(driver.outages[0].cause, "closed");
        assert_eq!((driver.unsent, driver.unfinished), (0, 0));
        home.assert_nothing_left();
        assert_as_it_was(&foreign);
    }
}

#[test]
fn tables_are_kept_and_used_again_only_when_asked() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let server = format!("--server {} {SHORT} --no-trace", foreign.address("root"));
        let reused = |arguments: &str| -> bool {
            let document = Home::new().run(&format!("{server} {arguments}")).measured();
            document.workload.unwrap().tables_reused
        };
        assert!(!reused("--keep-tables"));
        assert_eq!(databases(&foreign), 1);
        // What updates changed does not matter, and deletes do.
        assert!(reused("--keep-tables --workload delete"));
        assert!(!reused("--keep-tables"));
        assert!(!reused("--keep-tables --seed 2"));
        assert!(reused("--seed 2"));
        assert_as_it_was(&foreign);
    }
}

#[test]
fn what_it_refuses_is_told_and_changes_nothing() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MySql);
    let home = Home::new();
    let root = foreign.address("root");
    let cases = [
        ("no_such_variable=1", "no_such_variable"),
        ("innodb_page_size=4k", "when a server starts"),
        ("max_connections=word", "max_connections=word"),
        ("innodb_buffer_pool_size=1", "refuses innodb_buffer_pool_size=1"),
    ];
    for (setting, seen) in cases {
        home.run(&format!("--server {root} {SET} --set {setting} {SHORT}"))
            .refused(1, &[seen]);
        assert_as_it_was(&foreign);
    }
    let nowhere = "mysql://root@localhost/?socket=/tmp/no-such.sock";
    home.run(&format!("--server {nowhere} {SHORT}"))
        .refused(1, &["no socket /tmp/no-such.sock", "running"]);
    home.run(&format!("--server mysql://root@127.0.0.1:1/ {SHORT}"))
        .refused(1, &["nothing listens on 127.0.0.1:1"]);
    home.assert_untouched();
}

#[test]
fn an_account_without_the_password_or_the_rights() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MySql);
    foreign.tell("CREATE USER guest@localhost IDENTIFIED BY 'right'");
    let home = Home::new();
    let as_guest = |password: &str| -> Ended {
        let address = foreign.address("guest");
        let mut command = home.logtrace(&format!("run --server {address} {SHORT}"));
        command.env("LOGTRACE_PASSWORD", password);
        Started::new(command, home.path()).ended()
    };
    let wrong = as_guest("wrong");
    wrong.refused(1, &["guest", "Access denied", "LOGTRACE_PASSWORD"]);
    assert!(!wrong.stderr.contains("wrong"), "{}", wrong.stderr);
    as_guest("right").refused(1, &["cannot create the database", "denied", "GRANT"]);
    home.assert_untouched();
}

#[test]
fn a_database_of_somebody_else_is_not_touched() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    foreign.tell("CREATE DATABASE logtrace");
    foreign.tell("CREATE TABLE logtrace.sbtest1 (precious INT)");
    foreign.tell("INSERT INTO logtrace.sbtest1 VALUES (42)");
    let home = Home::new();
    home.run(&format!("--server {} {SET} {SHORT}", foreign.address("root")))
        .refused(1, &["database logtrace", "did not make", "Rename"]);
    home.assert_untouched();
    assert_eq!(foreign.ask::<u32>("SELECT precious FROM logtrace.sbtest1"), 42);
    assert_eq!(foreign.ask::<u32>("SELECT @@GLOBAL.sync_binlog"), 1);
}
