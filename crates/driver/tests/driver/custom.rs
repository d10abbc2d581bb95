//! A workload from a file, on both servers: the tables, the statements and what they change are those of the file.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use crate::common::drives::{DATASET, config, drive_to_end, uniform};
use crate::common::server::{FLAVORS, Server};
use logtrace_common::Variable;
use logtrace_driver::{
    CustomWorkload, DriveConfig, DriveError, DriveResult, LoadConfig, Protocol, Requests, Target,
    WorkloadOptions, drop_database, load,
};
use logtrace_testkit::chi_square::against;

const EXAMPLE: &str = include_str!("../../../../workloads/transfer.toml");

fn requests(text: &str, protocol: Option<Protocol>) -> Requests {
    let options = WorkloadOptions {
        protocol,
        ..WorkloadOptions::default()
    };
    Requests::of_file(CustomWorkload::read("transfer.toml", text).unwrap(), &options).unwrap()
}

fn loaded(target: &Target, text: &str) -> Result<u64, DriveError> {
    loaded_with(target, text, &[])
}

/// Loads in sessions with these variables.
fn loaded_with(target: &Target, text: &str, session: &[Variable]) -> Result<u64, DriveError> {
    let config = LoadConfig {
        target: target.clone(),
        requests: requests(text, None),
        dataset: DATASET,
        create_database: true,
        connections: NonZeroUsize::new(2).unwrap(),
        session: session.to_vec(),
        globals: Vec::new(),
    };
    let mut rows = 0;
    load(&config, &mut |progress| {
        assert!(progress.rows <= progress.total);
        rows = progress.rows;
    })?;
    Ok(rows)
}

/// 400 requests of the example in a second.
fn drive(target: &Target, protocol: Protocol, connections: usize) -> DriveResult {
    drive_file(target, requests(EXAMPLE, Some(protocol)), connections, 400)
}

/// So many requests in a second.
fn drive_file(target: &Target, requests: Requests, connections: usize, count: u32) -> DriveResult {
    let (pace, second) = (uniform(count.into()), Duration::from_secs(1));
    let config = DriveConfig {
        requests,
        connections: NonZeroUsize::new(connections).unwrap(),
        ..config(target.clone(), "update_key", pace, second)
    };
    let measured = drive_to_end(&config);
    assert_eq!((measured.requests, measured.done), (count.into(), count.into()));
    measured
}

#[test]
fn tables_are_filled_as_the_file_says_and_again_in_place_of_older_ones() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        let sums = || -> (u64, u64, String, u64, u64) {
            let sql = "SELECT COUNT(*), SUM(id), SUM(balance), SUM(branch = 'south'), SUM(LENGTH(owner) < 3 OR \
                       LENGTH(owner) > 20) FROM logtrace.account";
            server.query(sql).remove(0)
        };
        assert_eq!(loaded(&target, EXAMPLE).unwrap(), 10_000);
        let (rows, ids, balance, south, bad) = sums();
        assert_eq!((rows, ids, bad), (10_000, 50_005_000, 0));
        // Five standard errors of a quarter: sqrt(10000 * 1/4 * 3/4) = 43.
        assert!(south.abs_diff(2_500) < 215, "{south}");
        server.run("DELETE FROM logtrace.account");
        loaded(&target, EXAMPLE).unwrap();
        assert_eq!(sums(), (rows, ids, balance, south, bad), "the seed is the same");
    }
}

#[test]
fn requests_change_exactly_their_rows() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        loaded(&target, EXAMPLE).unwrap();
        let balance = || server.query::<String>("SELECT SUM(balance) FROM logtrace.account");
        let before = balance();
        for protocol in [Protocol::Prepared, Protocol::Text] {
            let measured = drive(&target, protocol, 8);
            let transfers = measured.kinds[0].done;
            // Five standard errors: sqrt(400 * 3/4 * 1/4) = 8.7.
            assert!(transfers.abs_diff(300) < 43, "{transfers} of 400");
            assert_eq!(transfers + measured.kinds[1].done, 400);
            let noted: Vec<(u64, u64)> =
                server.query("SELECT COUNT(*), COUNT(DISTINCT amount) FROM logtrace.transfer");
            assert_eq!(noted[0].0, transfers, "{flavor:?} {protocol}");
            assert!(noted[0].1 > 250, "amounts differ");
            assert_eq!(balance(), before, "what one account loses another one gets");
            // The same seed has the same numbers.
            server.run("DELETE FROM logtrace.transfer");
        }
    }
}

/// File with a procedure that notes another word under another `sql_mode` of the session that creates it.
const PROCEDURE: &str = "
    [[table]]
    name = 'word'
    create = 'CREATE TABLE word (id BIGINT PRIMARY KEY, text VARCHAR(9))'

    [[table]]
    name = 'note_word'
    create = \"CREATE PROCEDURE note_word(number BIGINT) INSERT INTO word VALUES (number, '1' || '2')\"

    [[request]]
    name = 'call'
    statements = ['CALL note_word(:id)']
    parameters = { id = { type = 'unique' } }
    ";

#[test]
fn stored_programs_of_a_file_have_the_sql_mode_that_was_set() {
    let words = |server: &Server| server.query::<String>("SELECT DISTINCT text FROM logtrace.word");
    let drive = |target: &Target| drive_file(target, requests(PROCEDURE, None), 2, 40);
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        for (mode, word) in [("sql_mode=PIPES_AS_CONCAT", "12"), ("sql_mode=", "1")] {
            loaded_with(&target, PROCEDURE, &[mode.parse().unwrap()]).unwrap();
            drive(&target);
            assert_eq!(words(&server), [word], "{flavor:?} {mode}");
            drop_database(&target).unwrap();
        }
        // --set makes it the server's.
        server.run("SET GLOBAL sql_mode = 'PIPES_AS_CONCAT'");
        loaded(&target, PROCEDURE).unwrap();
        drive(&target);
        assert_eq!(words(&server), ["12"], "{flavor:?}");
    }
}

/// Three kinds of requests, which note what was drawn for them.
const DRAWN: &str = "
    [[table]]
    name = 'drawn'
    create = 'CREATE TABLE drawn (id BIGINT PRIMARY KEY, kind INT, near INT, word VARCHAR(9), price DECIMAL(4,1))'

    [[request]]
    name = 'five'
    weight = 5
    statements = ['INSERT INTO drawn VALUES (:id, 0, :near, :word, :price)']
    [request.parameters]
    id = { type = 'unique' }
    near = { type = 'integer', min = -1, max = 1, keys = 'zipfian:1' }
    word = { type = 'choice', values = [\"it's\", '\\', 'c'], weights = [6, 1, 3] }
    price = { type = 'decimal', min = -0.1, max = 0.1, places = 1 }

    [[request]]
    name = 'three'
    weight = 3
    statements = ['INSERT INTO drawn (id, kind) VALUES (:id, 1)']
    parameters = { id = { type = 'unique' } }

    [[request]]
    name = 'two'
    weight = 2
    transaction = true
    statements = ['INSERT INTO drawn (id, kind) VALUES (:id, 2)', 'UPDATE drawn SET near = 5 WHERE id = :id']
    parameters = { id = { type = 'unique' } }
    ";

#[test]
fn rows_follow_the_weights_and_distributions() {
    let counted = [
        ("kind", "1 = 1", ["0", "1", "2"], [0.5, 0.3, 0.2]),
        (
            "near",
            "kind = 0",
            ["-1", "0", "1"],
            [6.0 / 11.0, 3.0 / 11.0, 2.0 / 11.0],
        ),
        ("word", "kind = 0", ["it's", "\\", "c"], [0.6, 0.1, 0.3]),
        ("price", "kind = 0", ["-0.1", "0.0", "0.1"], [1.0 / 3.0; 3]),
        ("near", "kind = 2", ["5", "4", "3"], [1.0, 0.0, 0.0]),
    ];
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        for protocol in [Protocol::Prepared, Protocol::Text] {
            assert_eq!(loaded(&target, DRAWN).unwrap(), 0);
            let measured = drive_file(&target, requests(DRAWN, Some(protocol)), 8, 2_000);
            let kinds: Vec<u64> = measured.kinds.iter().map(|kind| kind.done).collect();
            for (column, of, values, shares) in counted {
                let sql = format!("SELECT {column}, COUNT(*) FROM logtrace.drawn WHERE {of} GROUP BY 1");
                let rows: BTreeMap<String, u64> = server.query(&sql).into_iter().collect();
                let counts = values.map(|value| rows.get(value).copied().unwrap_or(0));
                assert_eq!(counts.iter().sum::<u64>(), rows.values().sum::<u64>(), "{rows:?}");
                let verdict = against(&counts, &shares);
                assert!(
                    !verdict.is_rejected(),
                    "{flavor:?} {protocol} {column}: {verdict:?} {rows:?}"
                );
                assert!(column != "kind" || counts == *kinds, "{counts:?} {kinds:?}");
            }
        }
    }
}

/// A request whose second statement needs a row that somebody may hold.
const HELD: &str = "
    [[table]]
    name = 'held'
    create = 'CREATE TABLE held (id INT PRIMARY KEY, n INT DEFAULT 0)'
    rows = 1
    columns = { id = { type = 'row' } }

    [[table]]
    name = 'noted'
    create = 'CREATE TABLE noted (id BIGINT PRIMARY KEY)'

    [[request]]
    name = 'note'
    transaction = true
    statements = ['INSERT INTO noted VALUES (:id)', 'UPDATE held SET n = n + 1 WHERE id = 1']
    parameters = { id = { type = 'unique' } }
    ";

/// `ER_LOCK_WAIT_TIMEOUT`.
const LOCK_WAIT_TIMEOUT: u16 = 1205;

#[test]
fn a_request_that_is_tried_again_is_done_once() {
    let one_by_one = HELD.replace("transaction = true", "transaction = false");
    for flavor in FLAVORS {
        let server = Server::start(flavor, &["--innodb-lock-wait-timeout=1"]);
        let target = server.target("logtrace");
        for text in [HELD, &one_by_one] {
            assert_eq!(loaded(&target, text).unwrap(), 1);
            let measured = thread::scope(|scope| {
                scope.spawn(|| server.run("UPDATE logtrace.held SET n = n + SLEEP(2.5) WHERE id = 1"));
                let holding =
                    "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%sleep%'";
                while server.query::<u64>(holding) == [0] {}
                drive_file(&target, requests(text, None), 2, 20)
            });
            assert!(measured.retries[&LOCK_WAIT_TIMEOUT] > 0 && measured.errors.is_empty());
            let done: Vec<(u64, u64)> =
                server.query("SELECT n, (SELECT COUNT(*) FROM logtrace.noted) FROM logtrace.held");
            assert_eq!(done, [(20, 20)], "{flavor:?} {text}");
        }
    }
}

/// What a general log has of the file's statements, numbers made alike.
fn statements(log: &str, command: &str) -> Vec<String> {
    let commands = log
        .lines()
        .filter_map(|line| line.split_once(&format!("{command}\t")));
    let mut all = Vec::new();
    for (_, sql) in commands {
        let quoted = sql.replace('\'', "");
        let pieces = quoted.split(|c: char| c.is_ascii_digit() || c == '.');
        let joined: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
        all.push(joined.join("0"));
    }
    all
}

#[test]
fn statements_arrive_as_they_were_written() {
    let request = [
        "BEGIN",
        "UPDATE account SET balance = balance - 0 WHERE id = 0",
        "UPDATE account SET balance = balance + 0 WHERE id = 0",
        "INSERT INTO transfer (id, from_id, to_id, amount, day)",
    ];
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        loaded(&target, EXAMPLE).unwrap();
        server.run("SET GLOBAL general_log = ON");
        for (protocol, command) in [(Protocol::Prepared, "Execute"), (Protocol::Text, "Query")] {
            let before = server.general_log().len();
            let transfers = drive(&target, protocol, 1).kinds[0].done;
            let log = server.general_log();
            let statements = statements(&log[before..], command);
            for sql in &request[1..] {
                let sent = statements
                    .iter()
                    .filter(|has| has.trim_end_matches('0').trim() == sql.trim_end_matches('0').trim());
                assert_eq!(
                    sent.count() as u64,
                    transfers,
                    "{flavor:?} {protocol} {sql}: {:?}",
                    &statements[..9]
                );
            }
            let first = statements
                .iter()
                .position(|sql| sql.starts_with(&request[1][..14]))
                .unwrap();
            assert!(
                statements[first + 1].contains("balance + ") && statements[first + 2].starts_with(request[3])
            );
            server.run("DELETE FROM logtrace.transfer");
        }
    }
}

#[test]
fn refused_statements_are_named_before_rows_are_loaded() {
    let cases = [
        (
            "FROM account WHERE",
            "FROM acount WHERE",
            "statement 1 of the request balance",
        ),
        ("SELECT owner,", "SELECT owner,,", "request balance"),
        (
            "from_id, to_id, amount, day)\n",
            "from_id, to_id, amount)\n",
            "statement 3 of the request transfer",
        ),
        ("branch CHAR(5)", "branch CHRA(5)", "create of the table account"),
        ("owner = {", "owned = {", "the columns of the table account"),
    ];
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        for (from, to, named) in cases {
            assert!(EXAMPLE.contains(from), "{from}");
            let error = loaded(&target, &EXAMPLE.replacen(from, to, 1)).unwrap_err();
            let message = error.to_string();
            assert!(matches!(error, DriveError::Refused { .. }), "{message}");
            assert!(
                message.contains("transfer.toml") && message.contains(named),
                "{message}"
            );
            let tables: Vec<String> = server.query("SHOW TABLES FROM logtrace LIKE 'account'");
            for table in tables {
                let rows: Vec<u64> = server.query(&format!("SELECT COUNT(*) FROM logtrace.{table}"));
                assert_eq!(rows, [0]);
            }
        }
    }
}

#[test]
fn a_server_without_backslash_escapes_is_refused_before_there_are_tables() {
    for flavor in FLAVORS {
        let server = Server::start(flavor, &[]);
        let target = server.target("logtrace");
        server.run("SET GLOBAL sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')");
        let error = loaded(&target, EXAMPLE).unwrap_err();
        assert!(
            error.to_string().contains("sql_mode has NO_BACKSLASH_ESCAPES"),
            "{error}"
        );
        let tables: Vec<String> = server.query("SHOW TABLES FROM logtrace");
        assert_eq!(tables, ["logtrace_marker"]);
    }
}
