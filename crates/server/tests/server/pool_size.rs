//! Sizes of buffer pools.

use logtrace_common::Flavor;
use logtrace_server::{Instance, buffer_pool};
use rstest::rstest;

use crate::base::Base;

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn a_server_starts_with_a_pool_of_any_size(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut config = base.config(flavor, &[]);
    config.settings = buffer_pool(flavor, 286 << 20);
    let mut instance = Instance::start(&config, None, &|_| {}).await.unwrap();
    for wanted in [300_000_001, 77_000_000, 1] {
        instance = instance.reconfigure(&buffer_pool(flavor, wanted)).await.unwrap();
        let has: u64 = instance.facts().variables["innodb_buffer_pool_size"]
            .parse()
            .unwrap();
        assert!(has.abs_diff(wanted) <= 8 << 20, "{has} for {wanted}");
    }
    instance.stop().await.unwrap();
}
