//! A workload from a file on a server that runs already: only the database of the run is touched.

use std::fs;
use std::path::PathBuf;

use logtrace_common::Flavor;

use super::fixture::home::Home;
use crate::common::{SERVERS, beside_others, driver};
use logtrace_laboratory::foreign::Foreign;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/workloads/transfer.toml");

/// What keeps a run short.
const SHORT: &str = "--warmup 300ms --duration 1s --rate 50/s --no-trace";

/// The example with other words in it.
fn changed(home: &Home, from: &str, to: &str) -> PathBuf {
    let example = fs::read_to_string(EXAMPLE).unwrap();
    assert!(example.contains(from), "{from}");
    let file = home.path().join("changed.toml");
    fs::write(&file, example.replacen(from, to, 1)).unwrap();
    file
}

/// A server with a shop of somebody's.
fn shop(flavor: Flavor) -> Foreign {
    let foreign = Foreign::start(flavor);
    foreign.tell("CREATE DATABASE shop");
    foreign.tell("CREATE TABLE shop.account (id INT PRIMARY KEY, owner INT, balance INT)");
    foreign.tell("INSERT INTO shop.account VALUES (1, 7, 42)");
    foreign
}

fn assert_as_it_was(foreign: &Foreign) {
    let account: (u32, u32, u32) = foreign.ask("SELECT id, owner, balance FROM shop.account");
    assert_eq!(account, (1, 7, 42));
    let databases = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'logtrace'";
    assert_eq!(foreign.ask::<u32>(databases), 0);
}

#[test]
fn a_refused_statement_ends_the_run_and_leaves_the_server_as_it_was() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = shop(flavor);
        let home = Home::new();
        let file = changed(&home, "FROM account WHERE", "FROM user WHERE");
        let server = foreign.address("root");
        let ended = home.run(&format!(
            "--workload {} --server {server} {SHORT}",
            file.display()
        ));
        ended.refused(
            1,
            &[
                "changed.toml",
                "statement 1 of the request balance: the server refuses",
            ],
        );
        assert_as_it_was(&foreign);
        home.assert_untouched();
    }
}

#[test]
fn what_a_private_server_refuses_is_told_and_leaves_its_log() {
    let _turn = beside_others();
    for server in SERVERS {
        let home = Home::new();
        let file = changed(&home, "SELECT owner,", "SELECT owner,,");
        let ended = home.run(&format!(
            "--workload {} --server {server} {SHORT}",
            file.display()
        ));
        ended.refused(
            1,
            &[
                "changed.toml: statement 1 of the request balance",
                "SELECT owner,,",
            ],
        );
        home.assert_only_log_left(&ended);
    }
}

#[test]
fn an_account_without_rights_is_told_which_to_grant() {
    let _turn = beside_others();
    let most = "CREATE, DROP, ALTER, SELECT, UPDATE, DELETE";
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = shop(flavor);
        foreign.tell("CREATE USER guest@localhost");
        let home = Home::new();
        let arguments = format!(
            "--workload {EXAMPLE} --server {} {SHORT}",
            foreign.address("guest")
        );
        home.run(&arguments).refused(
            1,
            &["cannot create the database", "denied", "GRANT ALL ON logtrace.*"],
        );
        foreign.tell(&format!("GRANT {most} ON logtrace.* TO guest@localhost"));
        home.run(&arguments).refused(
            1,
            &[
                "the columns of the table account",
                "denied",
                "GRANT ALL ON logtrace.*",
            ],
        );
        home.assert_untouched();
        foreign.tell("GRANT ALL ON logtrace.* TO guest@localhost");
        home.run(&arguments).measured();
        assert_as_it_was(&foreign);
    }
}

#[test]
fn a_database_of_somebody_else_keeps_its_tables() {
    let _turn = beside_others();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        let foreign = Foreign::start(flavor);
        foreign.tell("CREATE DATABASE logtrace");
        foreign.tell("CREATE TABLE logtrace.account (precious INT)");
        foreign.tell("INSERT INTO logtrace.account VALUES (42)");
        let home = Home::new();
        let arguments = format!(
            "--workload {EXAMPLE} --server {} {SHORT}",
            foreign.address("root")
        );
        home.run(&arguments)
            .refused(1, &["database logtrace", "did not make", "Rename"]);
        home.assert_untouched();
        assert_eq!(foreign.ask::<u32>("SELECT precious FROM logtrace.account"), 42);
    }
}

#[test]
fn failed_requests_say_code_text_and_statement_in_each_report() {
    let _turn = beside_others();
    for server in SERVERS {
        let home = Home::new();
        let file = home.path().join("broken.toml");
        let statement = "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'it is broken'";
        fs::write(
            &file,
            format!("[[request]]\nname = 'broken'\nstatements = [\"{statement}\"]\n"),
        )
        .unwrap();
        let ended = home.run(&format!(
            "--workload {} --server {server} {SHORT}",
            file.display()
        ));
        assert_eq!(ended.code, Some(3), "{server}: {}", ended.stderr);
        let document = ended.document();
        let driver = driver(&document);
        let first = &driver.first_errors["1644"];
        assert_eq!(driver.errors["1644"], driver.requests, "{server}");
        assert_eq!(first.text, "it is broken", "{server}");
        assert_eq!(
            first.statement.as_deref(),
            Some("SIGNAL SQLSTATE ? SET MESSAGE_TEXT = ?"),
            "{server}"
        );
        let page = fs::read_to_string(home.run_dirs()[0].join("report.html")).unwrap();
        for report in [&ended.stdout, &page] {
            let words: Vec<&str> = report.split_whitespace().collect();
            let told = "with error 1644 (it is broken at: SIGNAL SQLSTATE ? SET MESSAGE_TEXT = ?)";
            assert!(words.join(" ").contains(told), "{server}: {report}");
        }
    }
}
