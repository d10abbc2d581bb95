//! A private server that cannot be had.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use logtrace_common::Flavor;
use logtrace_server::find;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::Started;
use crate::common::{SERVERS, beside_others, driver};

#[test]
fn no_server_is_found() {
    let home = Home::new();
    let mut command = Command::new("unshare");
    // What scripts/fetch-mysql installed is hidden from this one process.
    let hidden = "mount -t tmpfs none /var/lib/logtrace && PATH= exec \"$0\" \"$@\"";
    command.args(["--mount", "sh", "-c", hidden, env!("CARGO_BIN_EXE_logtrace")]);
    let command = home.at_home(command, &format!("run --server mysql {SHORT}"));
    Started::new(command, home.path())
        .ended()
        .refused(1, &["no MySQL server", "scripts/fetch-mysql"]);
    home.assert_untouched();
}

#[test]
fn a_program_that_is_no_server() {
    let home = Home::new();
    let cases = [
        ("/nonexistent", "No such file"),
        ("/etc/passwd", "Permission denied"),
        ("/bin/true", "neither mysqld nor mariadbd"),
    ];
    for (path, seen) in cases {
        home.run(&format!("--server {path} {SHORT}"))
            .refused(1, &[seen, "--server"]);
    }
    home.assert_untouched();
}

/// A MySQL whose symbol for the commit has another name.
fn server_without_symbol(home: &Home) -> PathBuf {
    let real = find(Some(Flavor::MySql), &logtrace_server::Home::default()).unwrap();
    let mut program = fs::read(&real.path).unwrap();
    let (symbol, other) = (b"_Z15ha_commit_trans", b"_Z15ha_xommit_trans");
    let places: Vec<usize> = (0..program.len() - symbol.len())
        .filter(|&at| program[at..].starts_with(symbol))
        .collect();
    assert!(!places.is_empty(), "this MySQL commits by another function");
    for at in places {
        program[at..at + other.len()].copy_from_slice(other);
    }
    let prefix = home.path().join("usr");
    fs::create_dir_all(prefix.join("sbin")).unwrap();
    for part in ["lib", "share"] {
        symlink(real.prefix().join(part), prefix.join(part)).unwrap();
    }
    let path = prefix.join("sbin/mysqld");
    fs::copy(&real.path, &path).unwrap();
    fs::write(&path, program).unwrap();
    path
}

#[test]
fn a_server_without_symbols_is_not_put_under_load() {
    let _turn = beside_others();
    let home = Home::without_templates();
    let server = server_without_symbol(&home);
    let arguments = format!("--server {} {SHORT}", server.display());
    let ended = home.run(&arguments);
    ended.refused(1, &["no symbol ha_commit_trans", "--no-trace"]);
    home.assert_only_log_left(&ended);
    fs::remove_dir_all(home.path().join("logtrace-runs")).unwrap();
    let document = home.run(&format!("--no-trace {arguments}")).measured();
    assert!(driver(&document).done > 0);
    home.assert_nothing_left();
}

#[test]
fn settings_that_the_server_does_not_take() {
    let _turn = beside_others();
    for server in SERVERS {
        let cases: [(&str, &[&str]); 3] = [
            ("no_such_variable=1", &["no_such_variable", "spelling"]),
            ("innodb_buffer_pool_size=1", &["innodb_buffer_pool_size"]),
            ("sync_binlog=word", &["'word'", "sync_binlog"]),
        ];
        for (setting, words) in cases {
            let home = Home::new();
            let ended = home.run(&format!("--server {server} --set {setting} {SHORT}"));
            ended.refused(1, words);
            assert_eq!(home.run_dirs().len(), 1, "the log stays");
            home.assert_only_log_left(&ended);
        }
    }
}

#[test]
fn a_statement_that_is_longer_than_the_server_takes_names_the_variable() {
    let _turn = beside_others();
    let home = Home::new();
    for server in SERVERS {
        home.run(&format!(
            "--workload tpcc --server {server} --no-trace --rate 5/s --set max_allowed_packet=262144"
        ))
        .refused(
            1,
            &[
                "max_allowed_packet of the server is 262144",
                "--set max_allowed_packet=16777216",
            ],
        );
    }
    home.assert_nothing_left();
}
