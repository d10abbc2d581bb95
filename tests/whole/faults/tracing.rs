//! `logtrace trace` of what cannot be traced, or goes away meanwhile.

use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::fixture::home::Home;
use super::fixture::started::Started;
use super::privilege::as_nobody;
use crate::common::{beside_others, send, tells};
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::CaveatKind;

fn trace(home: &Home, arguments: &str) -> Started {
    Started::new(home.logtrace(&format!("trace {arguments}")), home.path())
}

#[test]
fn what_is_no_server_is_refused() {
    let home = Home::new();
    let mut sleeper = Command::new("sleep")
        .arg("1000")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let socket = home.path().join("deaf.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let cases: [(String, &[&str]); 6] = [
        ("--pid 4194304".into(), &["no process 4194304", "pgrep"]),
        (
            format!("--pid {}", sleeper.id()),
            &["sleep, neither mysqld nor mariadbd", "pgrep"],
        ),
        // A thread of the kernel.
        ("--pid 2".into(), &["cannot read the program of process 2"]),
        ("--socket no.sock".into(), &["no socket", "no.sock", "running"]),
        (
            "mysql://root@localhost/?socket=/no.sock".into(),
            &["no socket /no.sock", "running"],
        ),
        (
            format!("--socket {}", socket.display()),
            &["neither mysqld nor mariadbd"],
        ),
    ];
    for (arguments, words) in cases {
        trace(&home, &arguments).ended().refused(1, words);
    }
    drop(listener);
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    let gone = sleeper.id();
    trace(&home, &format!("--pid {gone}"))
        .ended()
        .refused(1, &[&format!("no process {gone}")]);
    home.assert_untouched();
}

#[test]
fn who_is_not_root_cannot_trace() {
    let home = Home::new();
    as_nobody(&home, "trace --pid 1").refused(1, &["user 65534", "sudo"]);
    home.assert_untouched();
}

#[test]
fn an_account_that_is_refused_is_told_of_the_way_without_a_login() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MySql);
    foreign.tell("CREATE USER guest@localhost IDENTIFIED BY 'right'");
    let home = Home::new();
    let as_guest = |password: &str| {
        let socket = foreign.socket();
        let arguments = format!("trace --socket {} --user guest --duration 1s", socket.display());
        let mut command = home.logtrace(&arguments);
        command.env("LOGTRACE_PASSWORD", password);
        Started::new(command, home.path()).ended()
    };
    let wrong = as_guest("geheim");
    wrong.refused(1, &["guest", "Access denied", "LOGTRACE_PASSWORD", "--pid"]);
    assert!(!wrong.stderr.contains("geheim"), "{}", wrong.stderr);
    home.assert_untouched();
    // No privilege is needed.
    let right = as_guest("right");
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    assert!(tells(&right.measured(), &CaveatKind::NoCommits));
    home.assert_nothing_left();
}

#[test]
fn a_server_that_dies_leaves_what_was_seen_until_then() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        foreign.tell("CREATE DATABASE d");
        foreign.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
        let home = Home::new();
        let tracing = trace(&home, &format!("--pid {}", foreign.pid()));
        foreign.wait_until_traced();
        for number in 0..50 {
            foreign.tell(&format!("INSERT INTO d.t VALUES ({number})"));
        }
        send(foreign.pid(), Signal::KILL);
        let ended = tracing.ended();
        let document = ended.measured();
        assert_eq!(ended.code, Some(3));
        assert!(
            tells(&document, &CaveatKind::ServerDied),
            "{:?}",
            document.caveats
        );
        let commits = document.commits.as_ref().unwrap();
        assert!(commits.count > 0 && commits.count <= 50, "{}", commits.count);
        let charged: u64 = document.causes.iter().map(|cause| cause.total).sum();
        assert_eq!(charged, commits.total);
    }
}

#[test]
fn a_server_that_dies_while_nothing_is_traced_ends_the_trace_too() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        let home = Home::new();
        let tracing = trace(&home, &format!("--pid {} --sample 10%", foreign.pid()));
        foreign.wait_until_untraced();
        send(foreign.pid(), Signal::KILL);
        let ended = tracing.ended();
        let document = ended.measured();
        assert_eq!(ended.code, Some(3));
        assert!(
            tells(&document, &CaveatKind::ServerDied),
            "{:?}",
            document.caveats
        );
        assert!(document.gaps().is_some());
    }
}
