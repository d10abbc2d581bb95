//! The cache of initialised data directories.

use logtrace_common::Flavor;
use logtrace_server::Instance;
use rstest::rstest;

use crate::base::{Base, Messages, ask, tell};

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_data_directory_is_initialised_once(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut config = base.config(flavor, &[]);
    config.home.templates = base.path().join("t");
    let messages = Messages::default();
    let progress = |text: &str| messages.add(text);
    // Two at once, and a third one after them.
    let (first, second) = tokio::join!(
        Instance::start(&config, None, &progress),
        Instance::start(&config, None, &progress)
    );
    let (first, second) = (first.unwrap(), second.unwrap());
    let third = Instance::start(&config, None, &progress).await.unwrap();
    assert_eq!(messages.containing("initialising"), 1);
    assert_eq!(messages.containing("waiting for another"), 1);

    tell(&first.socket(), "CREATE DATABASE mine").await;
    let mut ids = Vec::new();
    for (instance, expected) in [(&first, 1), (&second, 0), (&third, 0)] {
        let has: u32 = ask(
            &instance.socket(),
            "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'mine'",
        )
        .await;
        assert_eq!(has, expected, "databases of one instance in another");
        if flavor == Flavor::MySql {
            ids.push(instance.facts().variables["server_uuid"].clone());
        }
    }
    let before = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), before, "server_uuid of copies");
}
