//! Other settings for a server that runs.

use std::fs;

use logtrace_common::{Flavor, Variable};
use logtrace_server::{Instance, ServerError, SettingError, is_live};
use rstest::rstest;

use crate::base::{Base, all, ask, tell, wait_until};

fn settings(texts: &[&str]) -> Vec<Variable> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn value<'a>(instance: &'a Instance, name: &str) -> &'a str {
    &instance.facts().variables[name]
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn listed_variables_take_effect_without_a_restart(#[case] flavor: Flavor) {
    let base = Base::new();
    let config = base.config(flavor, &["long_query_time=0.5", "sync_binlog=7"]);
    let instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    let (pid, before) = (instance.pid(), instance.facts().variables.clone());
    let wanted = settings(&[
        "long_query_time=0",
        "slow_query_log=1",
        "general_log=1",
        "log_output=FILE",
        "max_connections=200",
    ]);
    let instance = instance.reconfigure(&wanted).await.unwrap();
    assert_eq!(instance.pid(), pid);
    assert_eq!(
        value(&instance, "sync_binlog"),
        "1",
        "the default of private servers"
    );
    let socket = instance.socket();
    tell(&socket, "CREATE DATABASE mine").await;
    tell(&socket, "CREATE TABLE mine.t (c VARCHAR(8000))").await;
    for _ in 0..2 {
        tell(&socket, "INSERT INTO mine.t VALUES (REPEAT('x', 8000))").await;
    }
    for log in ["slow_query_log_file", "general_log_file"] {
        let path = instance.data_directory().join(value(&instance, log));
        wait_until(|| fs::read_to_string(&path).is_ok_and(|text| text.contains("REPEAT('x', 8000)"))).await;
    }

    let instance = instance.reconfigure(&[]).await.unwrap();
    assert_eq!(instance.pid(), pid);
    let usual = [
        ("long_query_time", "10.000000"),
        ("sync_binlog", "1"),
        ("slow_query_log", "OFF"),
    ];
    for (name, expected) in usual {
        assert_eq!(value(&instance, name), expected, "{name}");
    }
    for name in ["general_log", "log_output", "max_connections"] {
        assert_eq!(value(&instance, name), before[name], "{name}");
    }
    instance.stop().await.unwrap();
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn an_unlisted_variable_restarts_the_server(#[case] flavor: Flavor) {
    let base = Base::new();
    let first = Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap();
    let before = first.facts().variables.clone();
    tell(&first.socket(), "CREATE DATABASE mine").await;
    let pid = first.pid();
    let wanted = settings(&["innodb_io_capacity=400", "slow_query_log=1"]);
    let second = first.reconfigure(&wanted).await.unwrap();
    assert_ne!(second.pid(), pid);
    assert_eq!(value(&second, "innodb_io_capacity"), "400");
    let databases: Vec<String> = all(&second.socket(), "SHOW DATABASES").await;
    assert!(databases.contains(&"mine".to_owned()), "{databases:?}");

    let pid = second.pid();
    let second = second.reconfigure(&wanted).await.unwrap();
    assert_eq!(second.pid(), pid, "it has them already");
    let third = second.reconfigure(&[]).await.unwrap();
    assert_ne!(third.pid(), pid);
    for name in ["innodb_io_capacity", "innodb_io_capacity_max", "slow_query_log"] {
        assert_eq!(value(&third, name), before[name], "{name}");
    }
    third.stop().await.unwrap();
}

/// MariaDB decides at its start whether the redo log is buffered.
#[tokio::test]
async fn mariadb_is_restarted_for_another_flush_at_commit() {
    const BUFFERING: &str = "innodb_log_file_buffering";
    let base = Base::new();
    let at_commit = |value: &str| settings(&[&format!("innodb_flush_log_at_trx_commit={value}")]);
    let mut config = base.config(Flavor::MariaDb, &[]);
    config.settings = at_commit("1");
    let first = Instance::start(&config, None, &|_| {}).await.unwrap();
    let direct = value(&first, BUFFERING).to_owned();
    let second = first.reconfigure(&at_commit("2")).await.unwrap();
    assert_ne!(value(&second, BUFFERING), direct);
    let third = second.reconfigure(&at_commit("0")).await.unwrap();
    assert_eq!(value(&third, BUFFERING), direct);

    config = base.config(Flavor::MySql, &[]);
    let first = Instance::start(&config, None, &|_| {}).await.unwrap();
    let pid = first.pid();
    let second = first.reconfigure(&at_commit("2")).await.unwrap();
    assert_eq!(second.pid(), pid);
    let reported: u32 = ask(&second.socket(), "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit").await;
    assert_eq!(reported, 2);
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn refused_values_are_named_with_the_words_of_the_server(#[case] flavor: Flavor) {
    let base = Base::new();
    let refused = async |text: &str| {
        let instance = Instance::start(&base.config(flavor, &[]), None, &|_| {})
            .await
            .unwrap();
        let error = instance.reconfigure(&settings(&[text])).await.unwrap_err();
        assert_eq!(base.processes(), Vec::<i32>::new(), "{text}");
        error
    };
    let error = refused("sync_binlog=nonsense").await.to_string();
    assert!(
        error.contains("sync_binlog=nonsense") && error.contains("Incorrect argument type"),
        "{error}"
    );
    for (text, is_expected) in [
        (
            "sync_binlgo=1",
            (|error| matches!(error, SettingError::Unknown { .. })) as fn(&SettingError) -> bool,
        ),
        ("sync_binlog=99999999999", |error| {
            matches!(error, SettingError::NotTaken { .. })
        }),
        ("port=1", |error| matches!(error, SettingError::Reserved(_))),
    ] {
        let error = refused(text).await;
        assert!(
            matches!(&error, ServerError::Setting(error) if is_expected(error)),
            "{error}"
        );
    }
}

/// A reset variable has the value that a server without the setting has.
#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn the_default_of_a_listed_variable_is_that_of_a_plain_server(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut instance = Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap();
    let before = instance.facts().variables.clone();
    let listed: Vec<&String> = before.keys().filter(|name| is_live(flavor, name)).collect();
    assert!(listed.len() >= 9, "{listed:?}");
    for name in listed {
        tell(&instance.socket(), &format!("SET GLOBAL {name} = DEFAULT")).await;
        let after: Vec<(String, String)> = all(
            &instance.socket(),
            &format!("SHOW GLOBAL VARIABLES LIKE '{name}'"),
        )
        .await;
        // Private servers are always started with a value of sync_binlog.
        assert!(
            name == "sync_binlog" || after[0].1 == before[name],
            "{after:?} is {}",
            before[name]
        );
    }

    // A lower limit of dirty pages lowers the other limit; both come back.
    let limits = ["innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"];
    let to = |value: &dyn Fn(&str) -> String| limits.map(|name| Variable::new(name, &value(name)));
    instance.set_live(&to(&|_| "0".to_owned())).await.unwrap();
    instance
        .set_live(&to(&|name| before[name].clone()))
        .await
        .unwrap();
    for name in limits {
        assert_eq!(value(&instance, name), before[name], "{name}");
    }
    let unlisted = instance.set_live(&settings(&["innodb_io_capacity=400"])).await;
    assert!(
        matches!(unlisted, Err(ServerError::Setting(SettingError::ReadOnly(_)))),
        "{unlisted:?}"
    );
}
