//! Variables that a SET changes besides its own.

use std::collections::BTreeMap;
use std::path::Path;

use logtrace_common::{Connection, Flavor, Variable};
use logtrace_server::{Instance, LeftServer, ManagedServer, ServerError, SettingError, parse_dsn};
use rstest::rstest;

use crate::base::{Base, all, tell};

/// A server with values beside its defaults.
pub(crate) async fn started(base: &Base, flavor: Flavor) -> Instance {
    std::fs::create_dir(base.path().join("n")).unwrap();
    Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap()
}

pub(crate) fn connection(instance: &Instance, user: &str) -> Connection {
    parse_dsn(&format!(
        "mysql://{user}@localhost/?socket={}",
        instance.socket().display()
    ))
    .unwrap()
}

pub(crate) async fn attach(
    base: &Base,
    connection: &Connection,
    settings: &[&str],
    database: Option<&str>,
) -> Result<ManagedServer, ServerError> {
    let settings: Vec<Variable> = settings.iter().map(|text| text.parse().unwrap()).collect();
    ManagedServer::attach(connection, &settings, database, &base.path().join("n/notes")).await
}

/// The notes of runs that have ended.
pub(crate) fn left(base: &Base) -> Vec<LeftServer> {
    let all = LeftServer::all(&base.path().join("n/notes")).unwrap();
    all.into_iter().map(Result::unwrap).collect()
}

/// The number of all notes.
pub(crate) fn notes(base: &Base) -> usize {
    std::fs::read_dir(base.path().join("n/notes")).map_or(0, Iterator::count)
}

/// All variables but those that each statement in the binary log changes.
pub(crate) async fn variables(socket: &Path) -> BTreeMap<String, String> {
    let rows: Vec<(String, String)> = all(socket, "SHOW GLOBAL VARIABLES").await;
    let rows = rows.into_iter().filter(|(name, _)| !name.starts_with("gtid_"));
    rows.collect()
}

pub(crate) fn differing<'a>(
    before: &'a BTreeMap<String, String>,
    after: &'a BTreeMap<String, String>,
) -> Vec<String> {
    let names = before
        .iter()
        .filter(|(name, value)| after.get(*name) != Some(value));
    names
        .map(|(name, value)| format!("{name}: {value:?}, then {:?}", after.get(name)))
        .collect()
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn what_a_set_changes_besides_is_noted_and_given_back(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let socket = instance.socket();
    for statement in [
        "SET GLOBAL collation_server = latin1_bin",
        "SET GLOBAL collation_database = utf8mb4_bin",
        "SET GLOBAL collation_connection = latin1_general_ci",
        "SET GLOBAL innodb_io_capacity = 300, GLOBAL innodb_io_capacity_max = 900",
    ] {
        tell(&socket, statement).await;
    }
    let before = variables(&socket).await;
    let connection = connection(&instance, "root");
    let mut cases = vec![
        "innodb_max_dirty_pages_pct=2",
        "character_set_server=ascii",
        "character_set_server=latin1",
        "collation_server=ascii_bin",
        "character_set_database=ascii",
        "collation_database=ascii_bin",
        "character_set_connection=ascii",
        "collation_connection=ascii_bin",
        "max_join_size=1000",
        "max_join_size=18446744073709551615",
    ];
    match flavor {
        Flavor::MySql => cases.extend(["super_read_only=ON", "innodb_io_capacity=800"]),
        Flavor::MariaDb => cases.extend([
            "innodb_io_capacity=5000",
            "innodb_io_capacity_max=200",
            "expire_logs_days=2",
            "log_queries_not_using_indexes=ON",
            "log_slow_admin_statements=OFF",
            "wsrep_sync_wait=1",
        ]),
    }
    for setting in cases {
        let attached = attach(&base, &connection, &[setting], None).await;
        let server = attached.unwrap_or_else(|error| panic!("{setting}: {error}"));
        server.restore().await.unwrap();
        let after = variables(&socket).await;
        assert_eq!(
            differing(&before, &after),
            Vec::<String>::new(),
            "{flavor}: {setting}"
        );
    }
    assert_eq!(notes(&base), 0);
    instance.stop().await.unwrap();
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_missing_privilege_is_named_with_its_grant(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let socket = instance.socket();
    tell(&socket, "CREATE USER guest@localhost").await;
    let guest = connection(&instance, "guest");
    let error = attach(&base, &guest, &["sync_binlog=7"], None).await.unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, ServerError::Setting(SettingError::Privilege { .. })),
        "{text}"
    );
    for word in ["sync_binlog", "SUPER", "GRANT ", " ON *.* TO "] {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
    let grant = text
        .split("administrator type: ")
        .nth(1)
        .unwrap()
        .split(';')
        .next()
        .unwrap();
    tell(&socket, &grant.replace("ACCOUNT", "guest@localhost")).await;
    let server = attach(&base, &guest, &["sync_binlog=7"], None).await.unwrap();
    server.restore().await.unwrap();
    instance.stop().await.unwrap();
}
