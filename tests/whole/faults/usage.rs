//! What was typed cannot be meant.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::fixture::home::{Home, SHORT};
use super::fixture::started::{Ended, Started};
use crate::common::{beside_others, driver};

#[test]
fn wrong_usage_names_the_argument_and_what_to_write() {
    let home = Home::new();
    for &(arguments, remedy) in [WORKLOADS, ARRIVALS, SERVERS, STORAGE].into_iter().flatten() {
        home.run(arguments).refused(2, &[remedy]);
    }
    home.assert_untouched();
}

/// What requests are: arguments, and what the error says to write.
const WORKLOADS: &[(&str, &str)] = &[
    ("--workload nothing", "update_key"),
    ("--workload nothing", "FILE.toml"),
    ("--workload /nowhere/a.toml", "cannot read /nowhere/a.toml"),
    ("--point-selects 2", "--index-updates, --protocol"),
    ("--workload read_only --index-updates 2", "read_only"),
    ("--workload oltp_write_only --range-size 9", "--skip-trx"),
    ("--workload read_write --range-size 0", "1..="),
    ("--workload insert --skip-trx", "insert"),
    ("--workload insert --protocol prepared", "as text"),
    ("--protocol binary", "prepared, text or procedures"),
    ("--index-updates 0", "at least one count above 0"),
    ("--compat sysbench-0.4", "sysbench-1.0, sysbench-1.1"),
    ("--connections 0", "1..="),
    ("--tables 0", "1..="),
    ("--rows 0", "1..="),
    ("--keys nothing", "uniform"),
    ("--keys zipfian:-1", "0 to 100"),
    ("--keys pareto:2", "below 1"),
];

/// When they are due.
const ARRIVALS: &[(&str, &str)] = &[
    ("--rate 0", "above 0"),
    ("--rate -5/s", "above 0"),
    ("--rate many", "500/s"),
    ("--rate inf", "at most 1,000,000"),
    ("--rate 1e7/s", "at most 1,000,000"),
    ("--max --rate 5/s", "--max"),
    ("--rate 100..fast", "100..5000/s:500"),
    ("--rate 0..0/s", "not both 0"),
    ("--rate 1..5/s:0", "by more than 0"),
    ("--max --schedule /dev/null", "--max"),
    ("--rate 5/s --schedule /dev/null", "--rate"),
    ("--schedule /dev/null", "no regular file"),
    ("--schedule /nowhere", "/nowhere"),
    ("--replay /nowhere", "/nowhere"),
    ("--replay /dev/null", "no regular file"),
    ("--replay /tmp", "run.json"),
    ("--replay /dev/null --arrivals uniform", "--arrivals"),
    ("--duration 0", "at least"),
    ("--duration 0 --rate 1..5/s:1", "at least"),
    ("--duration soon", "30s"),
    ("--warmup soon", "30s"),
    ("--arrivals nothing", "poisson"),
    ("--max --spin", "--spin"),
    ("--deadline 1ms", "at least 10ms"),
    ("--deadline never", "30s"),
    ("--reconnect never", "30s"),
];

/// The server, and how it is traced.
const SERVERS: &[(&str, &str)] = &[
    ("--keep-tables", "private server"),
    ("--set sync_binlog", "VARIABLE=VALUE"),
    ("--set =1", "VARIABLE=VALUE"),
    ("--set port=3306", "port cannot be set"),
    ("--server oracle", "mysql, mariadb"),
    ("--server postgres://root@localhost/", "mysql://"),
    (
        "--server mysql://root@no-such-host.invalid/",
        "cannot find the host",
    ),
    ("--ring-bytes 4K --no-trace", "--no-trace"),
    ("--ring-bytes 3M", "power of two from 4K to 256M"),
    ("--ring-bytes 1K", "power of two from 4K to 256M"),
    ("--nothing", "--help"),
];

/// Where its files are.
const STORAGE: &[(&str, &str)] = &[
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
    (
        "--set general_log_file=/var/lib/mysql/ibdata1",
        "leads out of the directories",
    ),
    ("--set log_bin=../../binlog", "--place"),
    ("--place temporary=/tmp/a:b", "/tmp/a:b"),
    ("--place temporary=/tmp:/var/tmp", "colon"),
    ("--place temporary=a;b", "colon or semicolon"),
];

#[test]
fn a_bad_line_of_a_schedule_or_a_replay_is_named_before_anything_starts() {
    let home = Home::new();
    let file = home.path().join("file.txt");
    let cases = [
        ("--schedule", "1s 5\n\nsoon 5\n", "", "file.txt:3: "),
        ("--schedule", "1s 5\n", "--duration 2s", "ends after 1s"),
        ("--schedule", "1s 0\n1s 5\n", "--duration 1s", "no request is due"),
        ("--schedule", "10ms 5\n", "", "at least 100ms"),
        ("--schedule", "1s 1e300\n", "", "0 to 1,000,000"),
        ("--replay", "5\n# down\n4\n", "", "file.txt:3: 4 is before 5"),
        (
            "--replay",
            "5\nend 1000000000\n",
            "--duration 2s",
            "ends after 1s",
        ),
    ];
    for (option, text, more, remedy) in cases {
        fs::write(&file, text).unwrap();
        let arguments = format!("{option} {} {more}", file.display());
        home.run(&arguments).refused(2, &[remedy]);
    }
    fs::remove_file(&file).unwrap();
    home.assert_untouched();
}

#[test]
fn a_bad_file_of_sql_is_named_with_its_line_before_anything_starts() {
    let home = Home::new();
    let file = home.path().join("file.toml");
    let good = "[[request]]\nname = 'one'\nstatements = ['SELECT :id']\n[request.parameters]\n\
                id = { type = 'integer', min = 1, max = 9 }\n";
    let cases = [
        (good, "", "", "--keys uniform", "takes --protocol"),
        (good, "", "", "--rows 5", "takes --protocol"),
        (
            good,
            "",
            "",
            "--keep-tables --server mysql://root@localhost/",
            "takes --protocol",
        ),
        (good, "", "", "--compat sysbench-1.0", "takes --protocol"),
        (good, "", "", "--warehouses 2", "takes --protocol"),
        (good, "", "", "--check", "takes --protocol"),
        (good, "", "", "--skip-trx", "takes --protocol"),
        (good, "", "", "--point-selects 2", "takes --protocol"),
        (good, "name", "nmae", "", "file.toml:2: unknown field `nmae`"),
        (
            good,
            ":id'",
            ":no'",
            "",
            "file.toml:3: statement 1 of the request one",
        ),
        (good, "SELECT :id", "COMMIT", "", "transaction = true"),
        (good, "max = 9", "max = 0", "", "file.toml:5: the parameter id"),
        (good, "[[request]]", "[[request]", "", "file.toml:1: "),
        ("", "", "", "", "at least one [[request]]"),
    ];
    for (text, from, to, more, remedy) in cases {
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        let arguments = format!("--workload {} {more}", file.display());
        home.run(&arguments).refused(2, &[remedy]);
    }
    fs::remove_file(&file).unwrap();
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
        ("--protocol procedures", "--compat dbt2"),
        ("--workload tpcc --protocol procedures", "--compat dbt2"),
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

/// `logtrace run` with 300 connections, started by a shell with these limits on open files.
fn limited(home: &Home, limits: &str) -> Ended {
    let logtrace = home.logtrace("");
    let script = format!(
        "{limits}; exec {} run --server mariadb --no-trace --connections 300 {SHORT}",
        logtrace.get_program().to_str().unwrap(),
    );
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(script);
    Started::new(home.at_home(shell, ""), home.path()).ended()
}

#[test]
fn a_low_soft_limit_on_open_files_is_raised_and_a_low_hard_one_is_named_before_a_server_starts() {
    let _turn = beside_others();
    let home = Home::new();
    limited(&home, "ulimit -n 300").refused(1, &["open files: at most 300", "ulimit -n", "--connections"]);
    home.assert_untouched();
    let document = limited(&home, "ulimit -Sn 256").measured();
    assert!(driver(&document).done > 0);
    home.assert_nothing_left();
}

#[test]
fn fetch_mysql_removes_nothing_that_it_did_not_make() {
    let place = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/fetch-mysql");
    let full = place.path().join("full");
    fs::create_dir(&full).unwrap();
    let canary = full.join("canary");
    fs::write(&canary, "alive").unwrap();
    symlink(&full, place.path().join("link")).unwrap();
    for prefix in ["full", "full/canary", "link"] {
        let output = Command::new(&script)
            .arg(place.path().join(prefix))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{prefix}: {stderr}");
        assert!(stderr.contains("choose another PREFIX"), "{prefix}: {stderr}");
    }
    assert_eq!(fs::read_to_string(canary).unwrap(), "alive");
}
