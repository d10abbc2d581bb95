//! Servers that start with what another one, or themselves, had before.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use logtrace_common::{FileClass, Flavor, Variable};
use logtrace_server::{Instance, InstanceConfig, ProcessEnd};
use rstest::rstest;

use crate::base::{Base, ask, tell};

/// A table with some rows.
async fn fill(instance: &Instance) {
    let socket = instance.socket();
    tell(&socket, "CREATE DATABASE mine").await;
    tell(
        &socket,
        "CREATE TABLE mine.t (id INT PRIMARY KEY AUTO_INCREMENT, c CHAR(200)) ENGINE=InnoDB",
    )
    .await;
    tell(
        &socket,
        "INSERT INTO mine.t (c) VALUES ('a'), ('b'), ('c'), ('d')",
    )
    .await;
    for _ in 0..8 {
        tell(&socket, "INSERT INTO mine.t (c) SELECT c FROM mine.t").await;
    }
}

async fn rows(instance: &Instance) -> u32 {
    ask(&instance.socket(), "SELECT COUNT(*) FROM mine.t").await
}

/// Places classes in a directory of the test's.
fn place(config: &mut InstanceConfig, base: &Base, classes: &str) {
    let directory = base.path().join("place");
    fs::create_dir_all(&directory).unwrap();
    for class in classes.split_whitespace() {
        let placement = format!("{class}={}", directory.display());
        config.storage.placements.push(placement.parse().unwrap());
    }
}

#[rstest]
#[case(Flavor::MySql, "redo binlog doublewrite undo temporary slow_log")]
#[case(Flavor::MariaDb, "redo binlog temporary slow_log")]
#[tokio::test]
async fn data_is_kept_from_wherever_it_was_and_serves_servers_with_other_settings(
    #[case] flavor: Flavor,
    #[case] placed: &str,
) {
    let base = Base::new();
    let logging = ["slow_query_log=ON", "long_query_time=0"];
    let mut elsewhere = base.config(flavor, &logging);
    place(&mut elsewhere, &base, placed);
    let plain = base.config(flavor, &["log_bin=OFF", "innodb_flush_log_at_trx_commit=2"]);
    let mut binlog_placed = base.config(flavor, &[]);
    place(&mut binlog_placed, &base, "binlog redo");

    let first = Instance::start(&elsewhere, None, &|_| {}).await.unwrap();
    fill(&first).await;
    let kept = first.stop_and_snapshot().await.unwrap();
    let mode = fs::metadata(kept.directory()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(base.left(), [kept.directory()]);
    assert_eq!(fs::read_dir(base.path().join("place")).unwrap().count(), 0);
    let names: Vec<String> = fs::read_dir(kept.directory().join("data"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("binlog.") || name == "auto.cnf"),
        "{names:?}"
    );

    // From elsewhere to the usual place, and back; each begins with the same.
    for config in [&plain, &elsewhere, &binlog_placed] {
        let server = Instance::start(config, Some(&kept), &|_| {}).await.unwrap();
        assert_eq!(rows(&server).await, 1024, "{:?}", config.storage.placements);
        tell(&server.socket(), "DELETE FROM mine.t WHERE id < 100").await;
        let log_bin = &server.facts().variables["log_bin"];
        assert_eq!(log_bin == "OFF", config.settings == plain.settings);
        if log_bin == "ON" {
            let binlog = &server.facts().variables["log_bin_basename"];
            let index = fs::read_to_string(format!("{binlog}.index")).unwrap();
            assert_eq!(index.lines().count(), 1, "{index}");
        }
        assert_eq!(server.stop().await.unwrap(), ProcessEnd::Code(0));
    }
    drop(kept);
    assert_eq!((base.left().len(), base.processes()), (0, vec![]));
    let log = fs::read_to_string(base.path().join("server.log")).unwrap();
    assert!(!log.to_lowercase().contains("crash recovery"), "{log}");
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_server_starts_again_on_its_own_data(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut config = base.config(flavor, &[]);
    place(&mut config, &base, "redo binlog");
    let first = Instance::start(&config, None, &|_| {}).await.unwrap();
    fill(&first).await;
    let (pid, data) = (first.pid(), first.data_directory());
    let settings =
        ["log_bin=OFF", "innodb_log_buffer_size=32M"].map(|text| text.parse::<Variable>().unwrap());
    // The place of the binary log would switch it on.
    let second = first.reconfigure(&settings[1..]).await.unwrap();
    assert!(second.pid() != pid && second.data_directory() == data);
    assert_eq!(second.facts().variables["innodb_log_buffer_size"], "33554432");
    assert_eq!(rows(&second).await, 1024);
    assert_eq!(
        second
            .placed()
            .iter()
            .filter(|placed| placed.class == FileClass::Redo)
            .count(),
        1
    );
    second.stop().await.unwrap();
    assert_eq!((base.left().len(), base.processes()), (0, vec![]));

    let first = Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap();
    fill(&first).await;
    let second = first.reconfigure(&settings).await.unwrap();
    assert_eq!(second.facts().variables["log_bin"], "OFF");
    let third = second.reconfigure(&[]).await.unwrap();
    assert_eq!(
        (third.facts().variables["log_bin"].as_str(), rows(&third).await),
        ("ON", 1024)
    );
}

#[tokio::test]
async fn data_that_a_server_cannot_read_is_refused_before_it_starts() {
    let base = Base::new();
    let server = Instance::start(&base.config(Flavor::MariaDb, &[]), None, &|_| {})
        .await
        .unwrap();
    let kept = server.stop_and_snapshot().await.unwrap();
    let refused = async |config: &InstanceConfig| {
        let started = Instance::start(config, Some(&kept), &|_| {}).await;
        started.unwrap_err()
    };
    let error = refused(&base.config(Flavor::MySql, &[])).await;
    assert!(
        error.to_string().contains("load it once for each server"),
        "{error}"
    );
    let error = refused(&base.config(Flavor::MariaDb, &["innodb_page_size=4k"])).await;
    assert!(error.to_string().contains("innodb_page_size=4k"), "{error}");
    assert_eq!(base.left(), [kept.directory()]);
    drop(kept);
    assert_eq!(base.left().len(), 0);
}

#[tokio::test]
async fn data_of_a_server_that_crashed_is_not_kept() {
    let base = Base::new();
    let server = Instance::start(&base.config(Flavor::MariaDb, &[]), None, &|_| {})
        .await
        .unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    server.died().await;
    let error = server.stop_and_snapshot().await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("ended with signal 9 instead of a clean shutdown"),
        "{error}"
    );
    assert_eq!(base.left().len(), 0);
}
