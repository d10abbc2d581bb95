//! A buffer pool that goes with the size of the tables.

use logtrace_server::{Home, Server, ServerChoice, ServerConfig, buffer_pool};
use rstest::rstest;

use crate::base::{Base, tell};

#[rstest]
#[case("mysql")]
#[case("mariadb")]
#[tokio::test]
async fn pools_of_any_size_are_had_while_the_server_runs(#[case] choice: ServerChoice) {
    let base = Base::new();
    let ServerChoice::Flavor(flavor) = choice else {
        panic!("a flavor was chosen");
    };
    let config = ServerConfig {
        image: None,
        placements: Vec::new(),
        choice: Some(choice),
        settings: buffer_pool(flavor, 286 << 20),
        log: base.path().join("server.log"),
        home: Home {
            instances: base.instances(),
            ..Home::default()
        },
    };
    let mut server = Server::open(&config, &|_| {}).await.unwrap();
    assert_eq!(server.table_bytes("mine").await.unwrap(), 0);
    let Server::Private(instance) = &server else {
        panic!("it is private");
    };
    let socket = instance.socket();
    for statement in [
        "CREATE DATABASE mine",
        "CREATE DATABASE mine_not",
        "CREATE TABLE mine_not.t (c CHAR(1)) ENGINE=InnoDB",
        "CREATE TABLE mine.t (c CHAR(250)) ENGINE=InnoDB CHARSET=latin1",
        "INSERT INTO mine.t VALUES ('a'), ('b'), ('c'), ('d')",
    ] {
        tell(&socket, statement).await;
    }
    for _ in 0..13 {
        tell(&socket, "INSERT INTO mine.t SELECT c FROM mine.t").await;
    }
    // 32,768 rows of 250 bytes, what comes with each, and what is reserved.
    let bytes = server.table_bytes("mine").await.unwrap();
    assert!((8_192_000..8_192_000 * 3).contains(&bytes), "{bytes}");
    for wanted in [bytes, bytes * 10, 300_000_001, 77_000_000, 1] {
        let done = server.reconfigure(&buffer_pool(flavor, wanted)).await.unwrap();
        assert!(done.need_restart.is_empty(), "{done:?}");
        let has: u64 = server.facts().variables["innodb_buffer_pool_size"]
            .parse()
            .unwrap();
        assert!(has.abs_diff(wanted) <= 8 << 20, "{has} for {wanted}");
    }
    server.finish().await.unwrap();
}
