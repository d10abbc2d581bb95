//! What was typed cannot be meant.

use crate::home::Home;

#[test]
fn wrong_usage_names_the_argument_and_what_to_write() {
    let home = Home::new();
    let cases = [
        ("--workload nothing", "update_key"),
        ("--point-selects 2", "--index-updates, --protocol"),
        ("--workload read_only --index-updates 2", "read_only"),
        ("--workload oltp_write_only --range-size 9", "--skip-trx"),
        ("--workload read_write --range-size 0", "1..="),
        ("--workload insert --skip-trx", "insert"),
        ("--workload insert --protocol prepared", "as text"),
        ("--protocol binary", "prepared or text"),
        ("--index-updates 0", "at least one statement"),
        ("--compat sysbench-0.4", "sysbench-1.0 or sysbench-1.1"),
        ("--rate 0", "above 0"),
        ("--rate -5/s", "above 0"),
        ("--rate many", "500/s"),
        ("--rate inf", "finite"),
        ("--max --rate 5/s", "--max"),
        ("--duration 0", "at least"),
        ("--duration soon", "30s"),
        ("--warmup soon", "30s"),
        ("--connections 0", "1..="),
        ("--tables 0", "1..="),
        ("--rows 0", "1..="),
        ("--keys nothing", "uniform"),
        ("--keys zipfian:-1", "0 to 100"),
        ("--keys pareto:2", "below 1"),
        ("--arrivals nothing", "poisson"),
        ("--set sync_binlog", "VARIABLE=VALUE"),
        ("--set =1", "VARIABLE=VALUE"),
        ("--set port=3306", "port cannot be set"),
        ("--server oracle", "mysql, mariadb"),
        ("--server postgres://root@localhost/", "mysql://"),
        ("--server mysql://root@db.example.org/", "localhost"),
        ("--fs zfs", "ext4, xfs or btrfs"),
        ("--fs ext4 --fs-size many", "4G"),
        ("--fs ext4 --fs-size 10M", "1G"),
        ("--fs-size 4G", "--fs"),
        ("--fs xfs --server mysql://root@localhost/", "private server"),
        ("--fs xfs --place data=/tmp", "--place data=/tmp"),
        ("--place redo", "CLASS=DIR"),
        ("--place journal=/tmp", "general_log"),
        (
            "--place redo=/tmp --server mysql://root@localhost/",
            "private server",
        ),
        ("--place redo=/tmp --place redo=/var", "placed twice"),
        ("--place binlog=/tmp --set log_bin=OFF", "log_bin is set"),
        ("--place temporary=/tmp/a:b", "/tmp/a:b"),
        ("--place temporary=/tmp:/var/tmp", "colon"),
        ("--place temporary=a;b", "colon or a semicolon"),
        ("--record --no-trace", "--no-trace"),
        ("--ring-bytes 4K --no-trace", "--no-trace"),
        ("--ring-bytes 3M", "power of two from 4K to 256M"),
        ("--ring-bytes 1K", "power of two from 4K to 256M"),
        ("--nothing", "--help"),
    ];
    for (arguments, remedy) in cases {
        home.run(arguments).refused(2, &[remedy]);
    }
    home.assert_untouched();
}

#[test]
fn options_of_another_workload_are_refused() {
    let home = Home::new();
    let cases = [
        ("--compat dbt2", "--index-updates"),
        ("--warehouses 2", "--index-updates"),
        ("--keying-times", "--index-updates"),
        ("--check", "--index-updates"),
        ("--workload tpcc --warehouses 0", "1..="),
        ("--workload tpcc --tables 2", "--warehouses"),
        ("--workload tpcc --rows 2", "--warehouses"),
        ("--workload tpcc --keys uniform", "--warehouses"),
        ("--workload tpcc --skip-trx", "--warehouses"),
        ("--workload tpcc --point-selects 2", "--warehouses"),
        ("--workload tpcc --compat sysbench-1.0", "--compat dbt2"),
        ("--workload tpcc --keying-times --rate 5/s", "--keying-times"),
    ];
    for (arguments, remedy) in cases {
        home.run(arguments).refused(2, &[remedy]);
    }
    home.assert_untouched();
}

#[test]
fn a_password_in_an_address_is_refused_and_not_repeated() {
    let home = Home::new();
    let ended = home.run("--server mysql://root:s3cret@localhost/");
    ended.refused(2, &["LOGTRACE_PASSWORD"]);
    assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
    home.assert_untouched();
}
