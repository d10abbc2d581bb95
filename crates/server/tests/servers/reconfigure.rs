//! Other settings for a server that runs.

use logtrace_common::Flavor;
use logtrace_server::{Instance, SetError, Setting, SettingError};
use rstest::rstest;

use crate::base::{Base, all, ask, try_to_tell};

fn settings(texts: &[&str]) -> Vec<Setting> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[rstest]
#[case(Flavor::MySql, "innodb_flush_method=O_DSYNC")]
#[case(Flavor::MariaDb, "innodb_log_buffer_size=32M")]
#[tokio::test]
async fn settings_change_while_a_server_runs(#[case] flavor: Flavor, #[case] read_only: &str) {
    let base = Base::new();
    let config = base.config(flavor, &["long_query_time=0.5", "sync_binlog=7"]);
    let mut instance = Instance::start(&config, &|_| {}).await.unwrap();
    let before = instance.facts().variables.clone();
    let value = |instance: &Instance, name: &str| instance.facts().variables[name].clone();

    // Numbers, sizes, truth values and words; one bounds another that stands before it.
    let first = settings(&[
        "long_query_time=0.5",
        "sync_binlog=0",
        "innodb_io_capacity=20000",
        "innodb_io_capacity_max=40000",
        "slow_query_log=1",
        "log_output=FILE,TABLE",
        "innodb_buffer_pool_size=512M",
    ]);
    let done = instance.reconfigure(&first).await.unwrap();
    assert_eq!(done.need_restart, Vec::<String>::new());
    assert!(done.changed.contains(&"sync_binlog".to_owned()));
    assert!(!done.changed.contains(&"long_query_time".to_owned()), "unchanged");
    assert_eq!(value(&instance, "innodb_io_capacity"), "20000");
    assert_eq!(value(&instance, "innodb_buffer_pool_size"), "536870912");
    assert_eq!(
        ask::<u32>(&instance.socket(), "SELECT @@global.slow_query_log").await,
        1
    );

    let second = settings(&["innodb_flush_log_at_trx_commit=0", read_only]);
    let done = instance.reconfigure(&second).await.unwrap();
    let name = read_only.split('=').next().unwrap();
    assert_eq!(done.need_restart, [name]);
    let after = &instance.facts().variables;
    assert_eq!(after["sync_binlog"], "1", "the default of private servers");
    assert_eq!(after["long_query_time"], "10.000000", "the server's own default");
    let put_back = [
        "innodb_io_capacity",
        "innodb_io_capacity_max",
        "slow_query_log",
        "log_output",
    ];
    for name in put_back.into_iter().chain(["innodb_buffer_pool_size", name]) {
        assert_eq!(after[name], before[name], "{name}");
    }
    assert_eq!(after["innodb_flush_log_at_trx_commit"], "0");

    // What cannot be set, but is so already, needs no restart.
    let same = format!("{name}={}", before[name]);
    let done = instance.reconfigure(&settings(&[&same])).await.unwrap();
    assert_eq!(done.need_restart, Vec::<String>::new());
    instance.stop().await.unwrap();
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn what_a_server_refuses_is_named_with_its_words(#[case] flavor: Flavor) {
    let refused = "sync_binlog=nonsense";
    let base = Base::new();
    let mut instance = Instance::start(&base.config(flavor, &[]), &|_| {}).await.unwrap();
    let error = instance.reconfigure(&settings(&[refused])).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(refused) && text.contains("Incorrect argument type"),
        "{text}"
    );
    let error = instance
        .reconfigure(&settings(&["sync_binlgo=1"]))
        .await
        .unwrap_err();
    assert!(matches!(error, SetError::Setting(SettingError::Unknown { name, .. }) if name == "sync_binlgo"));
    let clamped = settings(&["sync_binlog=99999999999"]);
    for _ in 0..2 {
        let error = instance.reconfigure(&clamped).await.unwrap_err();
        assert!(
            matches!(error, SetError::Setting(SettingError::NotTaken { .. })),
            "{error}"
        );
    }
    let error = instance.reconfigure(&settings(&["port=1"])).await.unwrap_err();
    assert!(
        matches!(error, SetError::Setting(SettingError::Reserved(_))),
        "{error}"
    );
    instance.reconfigure(&[]).await.unwrap();
    assert_eq!(instance.facts().variables["sync_binlog"], "1");
    instance.stop().await.unwrap();
}

/// MariaDB decides at its start whether the redo log is buffered.
#[tokio::test]
async fn what_a_start_works_out_needs_one() {
    const BUFFERING: &str = "innodb_log_file_buffering";
    let base = Base::new();
    let at_commit = |value: &str| settings(&[&format!("innodb_flush_log_at_trx_commit={value}")]);
    for [from, to] in [["1", "2"], ["2", "0"]] {
        let mut config = base.config(Flavor::MariaDb, &[]);
        config.settings = at_commit(from);
        let mut instance = Instance::start(&config, &|_| {}).await.unwrap();
        let before = instance.facts().variables[BUFFERING].clone();
        let done = instance.reconfigure(&at_commit(to)).await.unwrap();
        assert_eq!(done.need_restart, [BUFFERING], "{from} to {to}");
        assert_eq!(instance.facts().variables[BUFFERING], before);

        let mut instance = instance.restart(&at_commit(to)).await.unwrap();
        assert_ne!(instance.facts().variables[BUFFERING], before, "{from} to {to}");
        let done = instance.reconfigure(&at_commit(to)).await.unwrap();
        assert_eq!(done.need_restart, Vec::<String>::new(), "it was started so");
    }
}

/// What a variable of the start is put back to is what a server without it has, or it is said to need a restart.
#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_default_is_what_a_server_has_by_itself(#[case] flavor: Flavor) {
    // What private servers are started with.
    const OURS: [&str; 3] = ["binlog_format", "innodb_buffer_pool_size", "sync_binlog"];
    let base = Base::new();
    let plain = Instance::start(&base.config(flavor, &[]), &|_| {}).await.unwrap();
    let before = &plain.facts().variables;
    for name in before.keys() {
        // Many are read-only; that is no matter here.
        let _ = try_to_tell(&plain.socket(), &format!("SET GLOBAL {name} = DEFAULT")).await;
    }
    let after: Vec<(String, String)> = all(&plain.socket(), "SHOW GLOBAL VARIABLES").await;
    let differs = |(name, value): &(String, String)| before[name] != *value && !OURS.contains(&&**name);
    let differ: Vec<_> = after.into_iter().filter(differs).collect();
    assert!(!differ.is_empty(), "sql_big_selects differs on both");
    for (name, default) in differ {
        let mut config = base.config(flavor, &[]);
        config.settings = vec![Setting::new(&name, &before[&name])];
        // Not each can be given as it is reported.
        let Ok(mut instance) = Instance::start(&config, &|_| {}).await else {
            continue;
        };
        let done = instance.reconfigure(&[]).await.unwrap();
        assert_eq!(done.need_restart, [name], "{default}");
    }
}
