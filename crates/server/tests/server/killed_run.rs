//! Changes that a killed run leaves on a server. A run that ends without undoing anything stands for it.

use logtrace_common::Flavor;
use rstest::rstest;

use crate::base::{Base, ask, tell};
use crate::companions::{attach, connection, left, started};

#[rstest]
#[case("no_such_variable=1")]
#[case("max_connections=word")]
#[tokio::test]
async fn the_note_on_a_killed_runs_database_stays_until_the_next_run_has_its_own(#[case] refused: &str) {
    let base = Base::new();
    let instance = started(&base, Flavor::MariaDb).await;
    let root = connection(&instance, "root");
    let killed = attach(&base, &root, &["sync_binlog=9"], Some("logtrace")).await;
    drop(killed.unwrap());
    let next = attach(&base, &root, &["sync_binlog=7", refused], Some("logtrace")).await;
    next.unwrap_err();
    assert_eq!(
        ask::<u32>(&instance.socket(), "SELECT @@GLOBAL.sync_binlog").await,
        1
    );
    let notes = left(&base);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].database(), Some("logtrace"));
    assert!(
        !notes[0].by_hand().contains("SET GLOBAL"),
        "{}",
        notes[0].by_hand()
    );
    drop(notes);

    let mut server = attach(&base, &root, &["sync_binlog=7"], Some("logtrace"))
        .await
        .unwrap();
    server.database_dropped();
    server.restore().await.unwrap();
    assert_eq!(left(&base).len(), 0);
    instance.stop().await.unwrap();
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn what_somebody_changed_after_a_killed_run_stays_and_is_told(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let socket = instance.socket();
    let root = connection(&instance, "root");
    let settings = ["sync_binlog=9", "long_query_time=5", "innodb_io_capacity=1500"];
    let capacity: u32 = ask(&socket, "SELECT @@GLOBAL.innodb_io_capacity").await;
    drop(attach(&base, &root, &settings, None).await.unwrap());
    tell(&socket, "SET GLOBAL sync_binlog = 4").await;
    let told = |text: &str| {
        for word in ["sync_binlog", " 4", "SET GLOBAL sync_binlog = 1", "remove "] {
            assert!(text.contains(word), "no {word:?} in: {text}");
        }
        assert!(!text.contains("long_query_time"), "{text}");
    };
    for _ in 0..2 {
        let mut notes = left(&base);
        let error = notes.pop().unwrap().restore(None, None).await.unwrap_err();
        told(&format!("{:#}", anyhow::Error::from(error)));
        let values: (u32, f64, u32) = ask(
            &socket,
            "SELECT @@GLOBAL.sync_binlog, @@GLOBAL.long_query_time, @@GLOBAL.innodb_io_capacity",
        )
        .await;
        assert_eq!(values, (4, 10.0, capacity));
    }
    let error = attach(&base, &root, &["long_query_time=5"], None)
        .await
        .unwrap_err();
    told(&format!("{:#}", anyhow::Error::from(error)));
    tell(&socket, "SET GLOBAL sync_binlog = 1").await;
    let server = attach(&base, &root, &["long_query_time=5"], None).await.unwrap();
    server.restore().await.unwrap();
    assert_eq!(left(&base).len(), 0);
    instance.stop().await.unwrap();
}

/// What can be in a database.
const CONTENTS: [&str; 5] = [
    "CREATE TABLE logtrace.precious (id INT PRIMARY KEY)",
    "CREATE VIEW logtrace.precious AS SELECT 1",
    "CREATE PROCEDURE logtrace.precious() SELECT 1",
    "CREATE FUNCTION logtrace.precious() RETURNS INT DETERMINISTIC RETURN 1",
    "CREATE EVENT logtrace.precious ON SCHEDULE AT NOW() + INTERVAL 1 YEAR DO SELECT 1",
];

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn an_unmarked_database_is_dropped_only_if_it_is_empty_and_was_not_there(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let socket = instance.socket();
    let root = connection(&instance, "root");
    for statement in [
        "CREATE USER guest@localhost",
        "GRANT CREATE, DROP, SELECT ON logtrace.* TO guest@localhost",
    ] {
        tell(&socket, statement).await;
    }
    let guest = connection(&instance, "guest");
    let is_there = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'logtrace'";
    for (account, was_there, content, is_dropped) in [
        (&root, false, None, true),
        (&root, true, None, false),
        (&guest, false, Some(CONTENTS[2]), false),
    ]
    .into_iter()
    .chain(CONTENTS.map(|content| (&root, false, Some(content), false)))
    {
        for by_next_run in [false, true] {
            let when = format!("{flavor}, was there: {was_there}, {content:?}, next run: {by_next_run}");
            if was_there {
                tell(&socket, "CREATE DATABASE logtrace").await;
            }
            drop(attach(&base, account, &[], Some("logtrace")).await.unwrap());
            if !was_there {
                tell(&socket, "CREATE DATABASE logtrace").await;
            }
            if let Some(content) = content {
                tell(&socket, content).await;
            }
            if by_next_run {
                let next = attach(&base, account, &[], Some("logtrace")).await;
                assert_eq!(
                    ask::<u32>(&socket, is_there).await,
                    u32::from(!is_dropped),
                    "{when}"
                );
                let mut next = next.unwrap();
                next.database_dropped();
                next.restore().await.unwrap();
            } else {
                let mut note = left(&base).pop().unwrap();
                note.restore(None, None).await.unwrap();
                note.forget().unwrap();
            }
            assert_eq!(
                ask::<u32>(&socket, is_there).await,
                u32::from(!is_dropped),
                "{when}"
            );
            assert_eq!(left(&base).len(), 0, "{when}");
            tell(&socket, "DROP DATABASE IF EXISTS logtrace").await;
        }
    }
    instance.stop().await.unwrap();
}

#[tokio::test]
async fn a_database_that_a_run_made_and_could_not_mark_is_dropped_at_its_end() {
    let base = Base::new();
    let instance = started(&base, Flavor::MariaDb).await;
    let socket = instance.socket();
    let root = connection(&instance, "root");
    let mut server = attach(&base, &root, &[], Some("logtrace")).await.unwrap();
    tell(&socket, "CREATE DATABASE logtrace").await;
    server.database_dropped();
    server.restore().await.unwrap();
    let is_there = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'logtrace'";
    assert_eq!(ask::<u32>(&socket, is_there).await, 0);
    assert_eq!(left(&base).len(), 0);
    instance.stop().await.unwrap();
}
