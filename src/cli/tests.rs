//! Wrong usage: each command line is refused, with the words that help.

use std::fs;

use clap::Parser;

use super::{Cli, Command};
use crate::exit::UsageError;

/// Returns the error of arguments that are refused as wrong usage (exit code 2), before anything starts.
fn refused(command: &str, arguments: &str) -> String {
    let words = ["logtrace", command]
        .into_iter()
        .chain(arguments.split_whitespace());
    let parsed = match Cli::try_parse_from(words) {
        Ok(parsed) => parsed.command,
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{arguments}: {error}");
            return error.to_string();
        }
    };
    let error = match parsed {
        Command::Run(arguments) => arguments.config().unwrap_err(),
        Command::Trace(arguments) => arguments.config().unwrap_err(),
        other => panic!("{other:?}"),
    };
    assert!(error.is::<UsageError>(), "{arguments}: {error:#}");
    format!("{error:#}")
}

fn assert_refused(command: &str, arguments: &str, words: &[&str]) {
    let text = refused(command, arguments);
    for words in words {
        assert!(text.contains(words), "{arguments}: no {words:?} in: {text}");
    }
}

#[test]
fn wrong_usage_names_the_argument_and_what_to_write() {
    for &(arguments, remedy) in [WORKLOADS, ARRIVALS, SERVERS, STORAGE].into_iter().flatten() {
        assert_refused("run", arguments, &[remedy]);
    }
}

/// Wrong options about requests, and the words that the error must have.
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
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file.txt");
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
        assert_refused("run", &arguments, &[remedy]);
    }
}

#[test]
fn a_bad_file_of_sql_is_named_with_its_line_before_anything_starts() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file.toml");
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
        assert_refused("run", &arguments, &[remedy]);
    }
}

#[test]
fn options_of_another_workload_are_refused() {
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
        assert_refused("run", arguments, &[remedy]);
    }
}

#[test]
fn wrong_usage_of_a_trace_is_told() {
    let cases: [(&str, &[&str]); 9] = [
        ("1 --unit x", &["cannot be used with"]),
        ("--pid 1 --socket /x", &["cannot be used with"]),
        ("--pid word", &["invalid value 'word'"]),
        ("--pid 1 --user x", &["cannot be used with"]),
        ("--unit x --data-dir /x", &["cannot be used with"]),
        ("--pid 1 --duration 1ms", &["too short"]),
        ("--pid 1 --ring-bytes much", &["power of two"]),
        (
            "mysql://root@192.0.2.1/",
            &["192.0.2.1:3306 is not on this machine"],
        ),
        (
            "localhost",
            &["mysql://USER@localhost", "A number is a process", "--socket"],
        ),
    ];
    for (arguments, words) in cases {
        assert_refused("trace", arguments, words);
    }
    let text = refused("trace", "mysql://root:geheim@localhost/");
    assert!(
        text.contains("LOGTRACE_PASSWORD") && !text.contains("geheim"),
        "{text}"
    );
}

#[test]
fn a_sample_too_small_for_the_window_is_told_with_the_least_that_works() {
    assert_refused("run", "--duration 1s --sample 10%", &["give at least 2s"]);
}
