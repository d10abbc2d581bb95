//! Commits of programs whose functions a compiler inlined, cloned or split.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use logtrace_common::Detail;
use logtrace_events::Losses;
use logtrace_tracer::{Account, TracerConfig, check_program};
use tempfile::TempDir;

use crate::turn::turn;
use crate::{commits, config_at, held, traced_with};

/// Program with commits in the shape of the servers'.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/commits/server.cc");

/// Statements of the program: a commit, one that fails, one of the whole transaction, and one that changes nothing.
const STATEMENTS: [&str; 4] = ["c", "f", "ca", "r"];

/// Options of g++, and a part of the name of a function that the program has then.
const SHAPES: [(&str, &str); 4] = [
    ("-Os", "release_lockEP10MDL_ticket"),
    // The overload without a duration is inlined, and the failing path is apart.
    ("-O2", "ha_commit_transP3THDbb.cold"),
    ("-O2 -flto -rdynamic", "ha_commit_transP3THDbb.cold"),
    ("-O2 -flto", "ha_commit_transP3THDbb.constprop"),
];

/// Compiles the program with these options.
pub(crate) fn compiled(directory: &TempDir, options: &str) -> PathBuf {
    let program = directory.path().join("server");
    let mut compiler = Command::new("g++");
    compiler
        .args(options.split(' '))
        .arg(SOURCE)
        .arg("-o")
        .arg(&program);
    assert!(compiler.status().unwrap().success(), "{options}");
    program
}

fn symbols(program: &Path) -> String {
    let symbols = Command::new("nm").arg(program).output().unwrap();
    String::from_utf8(symbols.stdout).unwrap()
}

/// Statements of the program, which ends when there are no more.
pub(crate) struct Statements {
    input: ChildStdin,
    answers: io::Lines<BufReader<ChildStdout>>,
}

impl Statements {
    pub(crate) fn of(program: &mut Child) -> Self {
        Self {
            input: program.stdin.take().unwrap(),
            answers: BufReader::new(program.stdout.take().unwrap()).lines(),
        }
    }

    /// Executes a statement and checks its answer.
    pub(crate) fn execute(&mut self, statement: &str) {
        writeln!(self.input, "{statement}").unwrap();
        let answer = self.answers.next().unwrap().unwrap();
        assert_eq!(answer, i32::from(statement == "f").to_string());
    }
}

/// Executes each statement twenty times.
pub(crate) fn execute(program: &mut Child) {
    let mut statements = Statements::of(program);
    for statement in STATEMENTS.repeat(20) {
        statements.execute(statement);
    }
}

/// Starts the program, which waits for statements.
pub(crate) fn started(program: &Path) -> Child {
    let mut server = Command::new(program);
    server.stdin(Stdio::piped()).stdout(Stdio::piped());
    server.spawn().unwrap()
}

#[test]
fn commits_are_recorded_however_their_functions_were_compiled() {
    let _turn = turn();
    for (options, has) in SHAPES {
        let directory = tempfile::tempdir().unwrap();
        let program = compiled(&directory, options);
        assert!(symbols(&program).contains(has), "{options}: no {has}");
        let mut server = started(&program);
        let config = TracerConfig {
            process: held(&server),
            ..config_at(Detail::Full)
        };
        let (records, account) = traced_with(config, || execute(&mut server));
        server.wait().unwrap();
        assert_eq!(commits(&records, server.id()).len(), 60, "{options}");
        assert_eq!(account.losses, Losses::default(), "{options}");
        assert_places(&account, has.contains("constprop"));
    }
}

/// Checks that calls in clones have their probes, and that neither half of a group's statement has one if the arguments
/// of one may have changed.
fn assert_places(account: &Account, is_cloned: bool) {
    let probe = |name| account.probes.iter().find(|probe| probe.name == name).unwrap();
    let place = &probe("commit end").place;
    assert_eq!(place.contains("[clone .constprop.0]"), is_cloned, "{place}");
    for (name, reason) in [
        ("group commit queue", "clone of the function with other arguments"),
        ("group commit member", "group commit queue has no place"),
    ] {
        let missing = &probe(name).missing;
        let is_missing = missing.as_ref().is_some_and(|missing| missing.contains(reason));
        assert_eq!(is_missing, is_cloned, "{missing:?}");
    }
}

#[test]
fn half_of_a_pair_of_calls_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |options| {
        check_program(File::open(compiled(&directory, options)))
            .unwrap_err()
            .to_string()
    };
    let apart = refused("-O2 -DAPART");
    assert!(apart.contains("ha_commit_trans"), "{apart}");
    assert!(
        apart.contains("no direct call of MDL_context::release_lock("),
        "{apart}"
    );
    let inlined = refused("-O2 -flto -DINLINED");
    assert!(inlined.contains("no symbol ha_commit_trans(THD*"), "{inlined}");
}
