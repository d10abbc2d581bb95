//! `--place`: classes of files in directories elsewhere.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use super::fixture::home::{Home, LONG, SHORT, entries};
use super::fixture::started::Started;
use crate::common::{SERVERS, beside_others, driver, patiently};
use logtrace_common::FileClass;

/// A directory that the server's user may pass.
fn place(home: &Home) -> PathBuf {
    let directory = home.path().join("place");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
    directory
}

fn nothing_in(directory: &Path) {
    assert_eq!(entries(directory), Vec::<PathBuf>::new());
}

/// Paths of `run.json` start in the file system, wherever that is mounted.
fn is_in(path: &str, directory: &Path) -> bool {
    let directory = directory.strip_prefix("/tmp").unwrap().to_string_lossy();
    path.contains(&*directory)
}

#[test]
fn placed_files_are_where_they_were_placed_and_gone_afterwards() {
    let _turn = beside_others();
    let switched_on =
        "--set slow_query_log=ON --set long_query_time=0 --set general_log=ON --set log_output=FILE";
    for (server, classes) in [
        (
            "mysql",
            "binlog redo slow_log general_log doublewrite undo temporary",
        ),
        ("mariadb", "binlog redo slow_log general_log temporary"),
    ] {
        let home = Home::new();
        let directory = place(&home);
        let options: Vec<String> = classes
            .split(' ')
            .map(|class| format!("--place {class}={}", directory.display()))
            .collect();
        let ended = home.run(&format!(
            "--server {server} {} {switched_on} {SHORT}",
            options.join(" ")
        ));
        let document = ended.measured();
        nothing_in(&directory);
        home.assert_nothing_left();
        let logs = [
            FileClass::Binlog,
            FileClass::Redo,
            FileClass::SlowLog,
            FileClass::GeneralLog,
        ];
        for class in logs {
            let mut files = document
                .files()
                .iter()
                .filter(|file| file.class == class)
                .peekable();
            assert!(
                files.peek().is_some(),
                "{server}: no {class} in {:?}",
                document.files()
            );
            assert!(
                files.all(|file| is_in(&file.path, &directory)),
                "{server}: {class}"
            );
        }
        assert_eq!(document.server.placement.len(), classes.split(' ').count());
        assert!(
            document
                .server
                .placement
                .iter()
                .all(|placed| placed.directory == directory.to_string_lossy())
        );
        let text = fs::read_to_string(home.run_dirs()[0].join("host.json")).unwrap();
        let host: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(host["placed"][0]["class"], "binlog");
        assert!(host["placed"][0]["file_system"]["kind"].is_string());
    }
}

#[test]
fn data_and_undo_of_either_server_can_be_placed() {
    let _turn = beside_others();
    // MySQL always has undo tablespaces, and no such variable.
    for (server, undo) in SERVERS.into_iter().zip(["", "--set innodb_undo_tablespaces=3"]) {
        let home = Home::new();
        let directory = place(&home);
        let place = directory.display();
        let document = home
            .run(&format!(
                "--server {server} --place data={place} --place undo={place} {undo} --no-trace {SHORT}"
            ))
            .measured();
        assert!(driver(&document).done > 0);
        nothing_in(&directory);
        home.assert_nothing_left();
    }
}

#[test]
fn a_file_system_of_its_own_and_a_log_elsewhere_go_together() {
    let _turn = beside_others();
    let home = Home::new();
    let directory = place(&home);
    let ended = home.run(&format!(
        "--server mysql --fs btrfs --place binlog={} {SHORT}",
        directory.display()
    ));
    let document = ended.measured();
    let server = &document.server;
    assert_eq!(server.file_system, "btrfs");
    let below = server.image.as_ref().unwrap();
    let placed = &server.placement[0];
    assert_eq!(
        (&placed.file_system, &placed.device),
        (&below.file_system, &below.device)
    );
    let headline = format!("binlog on {} {}", placed.file_system, placed.device);
    assert!(ended.stdout.contains(&headline), "{}", ended.stdout);
    nothing_in(&directory);
    home.assert_nothing_left();
}

#[test]
fn what_a_killed_run_placed_goes_with_the_next_start() {
    let _turn = beside_others();
    let home = Home::new();
    let directory = place(&home);
    let run = home
        .start(&format!(
            "--server mariadb --place redo={} {LONG}",
            directory.display()
        ))
        .measuring();
    assert_eq!(entries(&directory).len(), 1);
    run.signal(Signal::KILL);
    run.ended();
    fs::remove_dir_all(&home.run_dirs()[0]).unwrap();
    home.run(&format!("--server mariadb --no-trace {SHORT}"))
        .measured();
    nothing_in(&directory);
    home.assert_nothing_left();
    assert_eq!(entries(&home.instances()), Vec::<PathBuf>::new(), "no list stays");
}

#[test]
fn the_doctor_removes_what_a_killed_run_left_and_nothing_of_a_living_one() {
    let _turn = beside_others();
    let home = Home::new();
    let directory = place(&home);
    let place = format!("--server mariadb --place redo={} {LONG}", directory.display());
    let clean = || {
        let doctor = home.at_home(Command::new(env!("CARGO_BIN_EXE_logtrace")), "doctor --clean");
        Started::new(doctor, home.path()).ended()
    };
    let run = home.start(&place).measuring();
    let told = clean();
    assert_eq!(
        (told.code, entries(&directory).len()),
        (Some(0), 1),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("left nothing behind"), "{}", told.stdout);
    run.signal(Signal::KILL);
    run.ended();
    patiently("the server to go", || {
        let told = clean();
        assert_eq!(told.code, Some(0), "{}", told.stdout);
        entries(&home.instances()).is_empty()
    });
    nothing_in(&directory);
    fs::remove_dir_all(&home.run_dirs()[0]).unwrap();
    home.assert_nothing_left();
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let _turn = beside_others();
    let home = Home::new();
    let closed = place(&home);
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    let closed = closed.to_string_lossy();
    let cases = [
        (
            "mysql",
            "redo=/no/such/directory".to_owned(),
            "/no/such/directory",
        ),
        ("mariadb", "redo=/etc/passwd".to_owned(), "/etc/passwd"),
        ("mysql", format!("binlog={closed}"), "chmod o+x"),
        ("mariadb", "doublewrite=/tmp".to_owned(), "ibdata1"),
        ("mariadb", "undo=/tmp".to_owned(), "innodb_undo_tablespaces"),
    ];
    for (server, placement, word) in cases {
        home.run(&format!("--server {server} --place {placement} {SHORT}"))
            .refused(1, &[word]);
    }
    home.assert_untouched();
}
