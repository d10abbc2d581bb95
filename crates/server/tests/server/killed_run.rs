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
