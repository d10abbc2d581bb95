//! Variables whose present values cannot be read, or not be set again.

use logtrace_common::Flavor;
use logtrace_server::{ServerError, SettingError};
use rstest::rstest;

use crate::base::{Base, ask, tell};
use crate::companions::{attach, connection, differing, notes, started, variables};

#[rstest]
#[case(Flavor::MySql, "hot.key_cache_age_threshold", 200)]
#[case(Flavor::MySql, "hot.key_cache_block_size", 1024)]
#[case(Flavor::MariaDb, "hot.key_cache_age_threshold", 200)]
#[case(Flavor::MariaDb, "innodb_lru_flush_size", 64)]
#[tokio::test]
async fn what_cannot_be_set_to_its_present_value_is_not_touched(
    #[case] flavor: Flavor,
    #[case] name: &str,
    #[case] new: u32,
) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let root = connection(&instance, "root");
    let read = format!("SELECT @@GLOBAL.{name}, @@GLOBAL.sync_binlog");
    let before: (u32, u32) = ask(&instance.socket(), &read).await;
    assert_eq!(before.0, 0);
    let settings = ["sync_binlog=7", &format!("{name}={new}")];
    let error = attach(&base, &root, &settings, None)
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(
        matches!(&error, ServerError::Setting(SettingError::OneWay { name: of, .. }) if of == name),
        "{error}"
    );
    assert_eq!(ask::<(u32, u32)>(&instance.socket(), &read).await, before);
    assert_eq!(notes(&base), 0);
    let next = attach(&base, &root, &["sync_binlog=7"], None).await.unwrap();
    next.restore().await.unwrap();
    instance.stop().await.unwrap();
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn what_cannot_be_read_is_not_set(#[case] flavor: Flavor) {
    let base = Base::new();
    let instance = started(&base, flavor).await;
    let socket = instance.socket();
    let root = connection(&instance, "root");
    // A comment with bytes of no text: servers send them as question marks.
    tell(&socket, "SET GLOBAL init_connect = X'2D2DFFFE'").await;
    let before = variables(&socket).await;
    for settings in [
        ["sync_binlog=7", "init_connect="],
        ["init_connect=SET @a = 1", "sync_binlog=7"],
    ] {
        let attached = attach(&base, &root, &settings, None).await;
        let error = attached.map(|_| ()).unwrap_err();
        assert!(
            matches!(&error, ServerError::Setting(SettingError::Unreadable { name, .. }) if name == "init_connect"),
            "{error}"
        );
        let bytes: String = ask(&socket, "SELECT HEX(@@GLOBAL.init_connect)").await;
        assert_eq!(bytes, "2D2DFFFE");
        assert_eq!(
            differing(&before, &variables(&socket).await),
            Vec::<String>::new()
        );
        assert_eq!(notes(&base), 0);
    }
    instance.stop().await.unwrap();
}

/// Once on, `innodb_log_file_buffering` may stay so, whatever is set (seen with MariaDB 10.11; not on every file system).
#[tokio::test]
async fn what_does_not_go_back_stays_noted_with_what_to_type() {
    let base = Base::new();
    let instance = started(&base, Flavor::MariaDb).await;
    let root = connection(&instance, "root");
    let read = "SELECT @@GLOBAL.innodb_log_file_buffering, @@GLOBAL.sync_binlog";
    let before: (u32, u32) = ask(&instance.socket(), read).await;
    assert_eq!(before, (0, 1));
    let settings = ["sync_binlog=7", "innodb_log_file_buffering=ON"];
    let server = attach(&base, &root, &settings, None).await.unwrap();
    let restored = server.restore().await;
    let after: (u32, u32) = ask(&instance.socket(), read).await;
    assert_eq!(after.1, before.1, "the others go back");
    if after == before {
        restored.unwrap();
        assert_eq!(notes(&base), 0);
    } else {
        let told = |error: ServerError| {
            let text = format!("{:#}", anyhow::Error::from(error));
            for word in [
                "innodb_log_file_buffering is 1",
                "SET GLOBAL innodb_log_file_buffering = 0;",
            ] {
                assert!(text.contains(word), "no {word:?} in: {text}");
            }
            text
        };
        told(restored.unwrap_err());
        assert_eq!(notes(&base), 1);
        let next = attach(&base, &root, &["sync_binlog=7"], None).await;
        let text = told(next.map(|_| ()).unwrap_err());
        assert!(text.contains("remove "), "{text}");
    }
    instance.stop().await.unwrap();
}
