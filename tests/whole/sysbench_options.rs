//! A workload is what its options and the release of sysbench say, and the document tells which.

use crate::common::{SERVERS, beside_others, driver, run, workload};

#[test]
fn a_workload_has_the_options_of_sysbench_and_the_document_tells_them() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--workload oltp_read_write --point-selects 2 --order-ranges 0 --range-size 7 --protocol text --no-trace \
             --rate 100/s --duration 1s --warmup 0s --rows 1000 --server {server}"
        ));
        let document = ran.good();
        assert!(driver(&document).done > 0);
        let told = workload(&document);
        assert_eq!(told.name, "read_write");
        let counts = ["point_selects", "order_ranges", "delete_inserts"].map(|group| told.statements[group]);
        assert_eq!(counts, [2, 0, 1]);
        assert_eq!(told.statements.len(), 8);
        assert_eq!(
            (told.range_size, told.transaction, told.protocol.as_deref()),
            (Some(7), true, Some("text"))
        );
    }
}

#[test]
fn a_release_of_sysbench_has_its_defaults_but_what_is_named_goes_first() {
    let _turn = beside_others();
    let load = "--no-trace --rate 100/s --duration 1s --warmup 0s --server mariadb";
    for (compat, keys) in [("sysbench-1.0", "special"), ("sysbench-1.1", "uniform")] {
        let document = run(&format!("--compat {compat} {load}")).good();
        let told = workload(&document);
        assert_eq!(
            (told.keys.as_str(), told.tables, told.rows),
            (keys, 1, Some(10_000))
        );
    }
    let named = "--compat sysbench-1.0 --keys uniform --tables 2 --rows 500";
    let document = run(&format!("{named} {load}")).good();
    let told = workload(&document);
    assert_eq!(
        (told.keys.as_str(), told.tables, told.rows),
        ("uniform", 2, Some(500))
    );
}
