use std::collections::BTreeSet;
use std::path::Path;

use logtrace_attribution::breakdown::{Holders, TransactionRow};
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{FileClass, Flavor};
use logtrace_events::IoOp;
use strum::IntoEnumIterator;

use super::advised::Advice;
use super::rules::RULES;
use super::samples::{columns, of_cause, run};
use super::variables::TABLE;
use super::*;
use crate::document::{Commits, Document, Placed};

/// Server and cause to which a rule applies.
struct Example {
    flavor: Flavor,
    settings: &'static [(&'static str, &'static str)],
    cause: Cause,
    /// Change that is advised.
    change: &'static str,
    /// Values of its variable with which it is not advised.
    already: &'static [&'static str],
}

fn on(class: FileClass, op: IoOp, wait: Wait) -> Cause {
    Cause {
        who: Who::Leader,
        io: Some((class, op)),
        wait,
    }
}

fn example(
    flavor: Flavor,
    settings: &'static [(&'static str, &'static str)],
    cause: Cause,
    change: &'static str,
    already: &'static [&'static str],
) -> Example {
    Example {
        flavor,
        settings,
        cause,
        change,
        already,
    }
}

/// The variable that is to change comes first.
#[rustfmt::skip]
fn examples() -> Vec<Example> {
    use Flavor::{MariaDb, MySql};
    let (fsync, write, read) = (IoOp::Fsync, IoOp::Write, IoOp::Read);
    let binlog = on(FileClass::Binlog, fsync, Wait::JournalCommit);
    let redo = on(FileClass::Redo, fsync, Wait::DeviceFlush);
    let wait = Cause::own;
    vec![
        example(MySql, &[("sync_binlog", "1")], binlog, "sync_binlog=100 (now 1)", &["100", "1000", "0"]),
        example(MariaDb, &[("sync_binlog", "1")], binlog, "sync_binlog=100 (now 1)", &["100"]),
        example(MySql, &[("innodb_flush_log_at_trx_commit", "1")], redo, "innodb_flush_log_at_trx_commit=2 (now 1)", &["2", "0"]),
        example(MariaDb, &[("innodb_flush_log_at_trx_commit", "3")], wait(Wait::RedoFlush), "innodb_flush_log_at_trx_commit=2 (now 3)", &["2", "0"]),
        example(MySql, &[("innodb_redo_log_capacity", "104857600"), ("innodb_flush_log_at_trx_commit", "2")], redo, "a larger innodb_redo_log_capacity (now 100 MiB)", &["137438953472"]),
        example(MySql, &[("innodb_use_fdatasync", "OFF")], on(FileClass::Redo, fsync, Wait::JournalCommit), "innodb_use_fdatasync=ON (now OFF)", &["ON"]),
        example(MySql, &[("innodb_flush_method", "fsync")], on(FileClass::Data, fsync, Wait::DataWriteback), "innodb_flush_method=O_DIRECT (now fsync)", &["O_DIRECT", "O_DIRECT_NO_FSYNC"]),
        example(MariaDb, &[("innodb_log_file_buffering", "OFF"), ("innodb_flush_log_at_trx_commit", "2")], on(FileClass::Redo, write, Wait::DeviceIo), "innodb_log_file_buffering=ON (now OFF)", &["ON"]),
        example(MySql, &[("innodb_log_writer_threads", "OFF")], wait(Wait::RedoCopy), "innodb_log_writer_threads=ON (now OFF)", &["ON"]),
        example(MySql, &[("innodb_redo_log_capacity", "104857600"), ("innodb_log_file_size", "50331648")], wait(Wait::RedoSpace), "a larger innodb_redo_log_capacity (now 100 MiB)", &["137438953472"]),
        example(MariaDb, &[("innodb_log_file_size", "100663296")], wait(Wait::RedoSpace), "a larger innodb_log_file_size (now 96 MiB)", &["137438953472"]),
        example(MySql, &[("innodb_log_buffer_size", "1048576")], wait(Wait::LogBufferSpace), "a larger innodb_log_buffer_size (now 1 MiB)", &["4294967295"]),
        example(MySql, &[("binlog_group_commit_sync_delay", "300")], wait(Wait::GroupDelay), "binlog_group_commit_sync_delay=0 (now 300)", &["0"]),
        example(MariaDb, &[("binlog_commit_wait_count", "10")], wait(Wait::GroupDelay), "binlog_commit_wait_count=0 (now 10)", &["0"]),
        example(MySql, &[("binlog_order_commits", "ON")], wait(Wait::CommitStage), "binlog_order_commits=OFF (now ON)", &["OFF"]),
        example(MySql, &[("max_binlog_size", "1073741824"), ("sync_binlog", "0")], binlog, "max_binlog_size=128M (now 1 GiB)", &["134217728", "16777216"]),
        example(MySql, &[("max_binlog_size", "16777216")], wait(Wait::BinlogRotation), "a larger max_binlog_size (now 16 MiB)", &["1073741824"]),
        example(MariaDb, &[("binlog_cache_size", "32768")], on(FileClass::Temporary, write, Wait::OnCpu), "a larger binlog_cache_size (now 32 KiB)", &["1073741824"]),
        example(MySql, &[("binlog_cache_size", "32768")], on(FileClass::Temporary, read, Wait::DeviceIo), "a larger binlog_cache_size (now 32 KiB)", &["1073741824"]),
        example(MySql, &[("binlog_row_image", "FULL"), ("binlog_format", "ROW")], on(FileClass::Binlog, write, Wait::OnCpu), "binlog_row_image=MINIMAL (now FULL)", &["MINIMAL", "NOBLOB"]),
        example(MariaDb, &[("thread_pool_size", "8"), ("thread_handling", "pool-of-threads")], wait(Wait::RunQueue), "thread_pool_size=2 (now 8)", &["2", "1"]),
        example(MySql, &[("replica_preserve_commit_order", "ON")], wait(Wait::CommitOrder), "replica_preserve_commit_order=OFF (now ON)", &["OFF"]),
        example(MySql, &[("slave_preserve_commit_order", "ON")], wait(Wait::CommitOrder), "slave_preserve_commit_order=OFF (now ON)", &["OFF"]),
        example(MySql, &[("group_replication_flow_control_mode", "QUOTA")], wait(Wait::FlowControl), "group_replication_flow_control_mode=DISABLED (now QUOTA)", &["DISABLED"]),
        example(MySql, &[("innodb_buffer_pool_size", "134217728")], wait(Wait::FreePage), "a larger innodb_buffer_pool_size (now 128 MiB)", &["18446744073709551615"]),
        example(MariaDb, &[("innodb_buffer_pool_size", "134217728")], on(FileClass::Data, read, Wait::DeviceIo), "a larger innodb_buffer_pool_size (now 128 MiB)", &["18446744073709551615"]),
        example(MySql, &[("innodb_doublewrite_pages", "128")], wait(Wait::Doublewrite), "a larger innodb_doublewrite_pages (now 128)", &["512"]),
        example(MySql, &[("innodb_thread_concurrency", "4")], wait(Wait::InnodbQueue), "innodb_thread_concurrency=0 (now 4)", &["0"]),
        example(MariaDb, &[("innodb_max_purge_lag", "1000")], wait(Wait::PurgeLag), "innodb_max_purge_lag=0 (now 1000)", &["0"]),
        example(MySql, &[("innodb_adaptive_hash_index", "ON")], wait(Wait::AdaptiveHash), "innodb_adaptive_hash_index=OFF (now ON)", &["OFF"]),
        example(MariaDb, &[("innodb_autoinc_lock_mode", "1")], wait(Wait::AutoIncrementLock), "innodb_autoinc_lock_mode=2 (now 1)", &["2"]),
        example(MariaDb, &[("query_cache_type", "ON")], wait(Wait::QueryCache), "query_cache_type=OFF (now ON)", &["OFF"]),
        example(MySql, &[("table_open_cache", "2000")], wait(Wait::TableCache), "a larger table_open_cache (now 2,000)", &["524288"]),
    ]
}

#[test]
fn commits_that_sync_less_often_do_not_make_a_rotation_shorter() {
    let by = |who| Cause {
        who,
        ..on(FileClass::Binlog, IoOp::Fsync, Wait::DeviceFlush)
    };
    let names = |who| {
        let document = of_cause(Flavor::MySql, &[("sync_binlog", "1")], by(who));
        changes(&document)
            .iter()
            .any(|change| change.starts_with("sync_binlog"))
    };
    assert!(names(Who::Leader) && !names(Who::Session));
}

#[test]
fn large_transactions_are_advised_against_if_commits_waited_for_them() {
    let cause = |class| (on(class, IoOp::Fsync, Wait::DeviceFlush), 1_000_000, 100_000);
    let causes = [
        cause(FileClass::Binlog),
        cause(FileClass::Redo),
        (Cause::own(Wait::OnCpu), 1_000_000, 100_000),
    ];
    let settings = [("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "1")];
    let told = |bytes, waited| {
        let row = TransactionRow {
            bytes: Some(bytes),
            waited,
            ..TransactionRow::default()
        };
        let mut document = run(Flavor::MySql, &settings, &causes);
        document.holders = Some(Holders {
            transactions: vec![row],
            ..Holders::default()
        });
        changes(&document).contains(&"smaller transactions".to_owned())
    };
    assert!(told(20 << 20, 100_000), "it is the last one");
    assert!(!told(20 << 20, 1_000) && !told(1_000, 100_000));
}

fn changes(document: &Document) -> Vec<String> {
    let advised = advised(document, None).into_iter();
    advised.map(|advice| advice.change).collect()
}

#[test]
fn each_rule_applies_to_its_example_and_not_to_what_is_already_so() {
    for Example {
        flavor,
        settings,
        cause,
        change,
        already,
    } in examples()
    {
        let has = |document: &Document| changes(document).iter().any(|of| of == change);
        let document = of_cause(flavor, settings, cause);
        assert!(has(&document), "{change}: {:?}", changes(&document));
        let (variable, _) = settings[0];
        let names = |document: &Document| changes(document).iter().any(|of| of.contains(variable));
        for &value in already {
            let mut settings = settings.to_vec();
            settings[0].1 = value;
            let document = of_cause(flavor, &settings, cause);
            assert!(!names(&document), "{value}: {:?}", changes(&document));
        }
        let without = of_cause(flavor, &settings[1..], cause);
        assert!(
            !names(&without),
            "a server without {variable}: {:?}",
            changes(&without)
        );
        let other = of_cause(flavor, settings, Cause::own(Wait::MemoryReclaim));
        assert!(!names(&other), "another cause: {:?}", changes(&other));
        for at in 1..settings.len() {
            let mut others = settings.to_vec();
            if variable.starts_with("innodb_redo") && others[at].0 == "innodb_log_file_size" {
                continue;
            }
            others[at].1 = "1";
            let unmet = of_cause(flavor, &others, cause);
            assert!(!has(&unmet), "{:?}: {:?}", others[at], changes(&unmet));
        }
    }
}

#[test]
fn each_rule_has_an_example_and_a_source_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for rule in RULES {
        let mut examples = examples().into_iter();
        let applies = |example: &Example| {
            let document = of_cause(example.flavor, example.settings, example.cause);
            rule.governs(example.cause) && rule.change(&document).as_deref() == Some(example.change)
        };
        assert!(examples.any(|example| applies(&example)), "{rule:?}");
        assert!(!rule.source.is_empty() && !rule.price.is_empty(), "{rule:?}");
        let page = rule.page().map(|page| root.join(page));
        assert!(page.is_none_or(|page| page.exists()), "{rule:?}");
    }
}

#[test]
fn a_rule_is_of_its_kind_of_server_alone() {
    for example in examples() {
        let rules = RULES.iter().filter(|rule| rule.flavor.is_some());
        let other = match example.flavor {
            Flavor::MySql => Flavor::MariaDb,
            Flavor::MariaDb => Flavor::MySql,
        };
        let document = of_cause(other, example.settings, example.cause);
        for rule in rules.filter(|rule| rule.flavor == Some(example.flavor)) {
            assert_eq!(rule.change(&document), None);
        }
    }
}

#[test]
fn each_wait_has_a_rule_or_a_remedy_and_each_piece_two_lines() {
    let durable: &[(&str, &str)] = &[("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "1")];
    let mut documents: Vec<Document> = Wait::iter()
        .map(|wait| of_cause(Flavor::MySql, durable, Cause::own(wait)))
        .collect();
    documents.extend(
        examples()
            .iter()
            .map(|example| of_cause(example.flavor, example.settings, example.cause)),
    );
    let binlog = on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit);
    documents.extend(["ext4", "btrfs", "xfs"].map(|file_system| {
        let mut document = of_cause(Flavor::MySql, durable, binlog);
        document.server.file_system = file_system.to_owned();
        document
    }));
    let mut longer = Vec::new();
    for mut document in documents {
        // Numbers as wide as they get, and in the tail.
        for (total, slowest) in [(123_400_000, 99), (1_000, 123_400_000)] {
            document.causes[0].total = total;
            document.causes[0].slowest = slowest;
            document.causes[1].total = 2 * 123_400_000;
            let commits = document.commits.as_mut().unwrap();
            (commits.count, commits.slowest_count) = (1, 1);
            commits.total = total + 2 * 123_400_000;
            commits.slowest_total = slowest + 1;
            let commits = document.commits.clone().unwrap();
            for advice in advised(&document, Some(&columns(&document))) {
                let text = text(&advice, &commits);
                let options = textwrap::Options::new(80)
                    .initial_indent("- ")
                    .subsequent_indent("  ");
                let lines = textwrap::wrap(&text, options);
                longer.extend((lines.len() > 2).then(|| lines.join("\n")));
                assert!(text.ends_with('.') && !text.contains(".."), "{text}");
            }
        }
    }
    assert!(longer.is_empty(), "{}", longer.join("\n"));
    let has_remedy: BTreeSet<Wait> = Wait::iter().filter(|wait| wait.remedy().is_some()).collect();
    let has_rule = |wait: &Wait| RULES.iter().any(|rule| rule.is_about(*wait));
    let without: Vec<Wait> = Wait::iter()
        .filter(|wait| !has_remedy.contains(wait) && !has_rule(wait))
        .collect();
    assert_eq!(without, []);
}

/// Returns the text of a piece of advice, with its share rounded alone.
fn text(advice: &Advice, commits: &Commits) -> String {
    let share = advice.governed.all_ns as f64 / commits.total as f64;
    advice.text(commits, (100.0 * share).round() as u64)
}

#[test]
fn advice_is_in_the_order_of_its_times_at_most_three_pieces() {
    let binlog = |wait| on(FileClass::Binlog, IoOp::Fsync, wait);
    let settings = [("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "1")];
    let causes = [
        (binlog(Wait::JournalCommit), 410_000, 10),
        (binlog(Wait::DeviceFlush), 40_000, 10),
        (on(FileClass::Redo, IoOp::Fsync, Wait::DeviceFlush), 350_000, 10),
        (Cause::own(Wait::RunQueue), 120_000, 10),
        (Cause::own(Wait::OnCpu), 80_000, 10),
    ];
    let document = run(Flavor::MySql, &settings, &causes);
    let commits = document.commits.as_ref().unwrap();
    let advised = advised(&document, None);
    let texts: Vec<String> = advised.iter().map(|advice| text(advice, commits)).collect();
    assert_eq!(
        texts,
        [
            "sync_binlog=100 (now 1): 45 %, 450 ns. Price: a power loss takes up to 100 groups of commits off the binary \
             log (docs/studies/README.md).",
            "journal commit: 41 %, 410 ns. No setting: one connection does 13 to 26 % more on xfs, 16 do as much \
             (docs/studies/commit-path.md).",
            "device flush: 39 %, 390 ns. No setting: a device with power-loss protection has nothing to flush \
             (docs/studies/commit-path.md).",
        ]
    );
}

#[test]
fn what_is_large_among_the_slowest_alone_comes_last() {
    let settings = [("innodb_log_writer_threads", "OFF"), ("sync_binlog", "1")];
    let binlog = |wait| on(FileClass::Binlog, IoOp::Fsync, wait);
    let causes = [
        (binlog(Wait::JournalCommit), 500_000, 10_000),
        (binlog(Wait::DeviceFlush), 300_000, 10_000),
        (Cause::own(Wait::RunQueue), 100_000, 10_000),
        (Cause::own(Wait::OnCpu), 90_000, 10_000),
        (Cause::own(Wait::RedoCopy), 10_000, 60_000),
    ];
    let document = run(Flavor::MySql, &settings, &causes);
    let commits = document.commits.as_ref().unwrap();
    let advised = advised(&document, None);
    assert_eq!(advised.len(), 3);
    assert_eq!(
        text(&advised[2], commits),
        "innodb_log_writer_threads=ON (now OFF): 60 % of the slowest 1 %, 6.00 us. Price: 12 % of throughput \
         (docs/findings/redo-of-another-transaction.md)."
    );
}

#[test]
fn a_setting_is_advised_once_with_its_longest_time() {
    let settings = [("max_binlog_size", "536870912"), ("sync_binlog", "0")];
    let causes = [
        (on(FileClass::Binlog, IoOp::Fsync, Wait::BlockThrottling), 300, 3),
        (Cause::own(Wait::BinlogRotation), 700, 7),
    ];
    let document = run(Flavor::MySql, &settings, &causes);
    let named: Vec<String> = changes(&document)
        .into_iter()
        .filter(|change| change.contains("max_binlog_size"))
        .collect();
    assert_eq!(named, ["a larger max_binlog_size (now 512 MiB)"]);
}

#[test]
fn what_hardly_matters_is_not_advised() {
    let settings = [("sync_binlog", "1")];
    let fsync = on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit);
    let causes = [(fsync, 19, 0), (Cause::UNEXPLAINED, 981, 1_000)];
    let names_sync = |causes: &[(Cause, u64, u64)]| {
        let changes = changes(&run(Flavor::MySql, &settings, causes));
        changes.iter().any(|change| change.starts_with("sync_binlog"))
    };
    assert!(!names_sync(&causes));
    assert!(names_sync(&[(fsync, 20, 0), (Cause::UNEXPLAINED, 980, 1_000)]));
}

#[test]
fn the_file_system_is_that_of_the_file() {
    let fsync = on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit);
    let mut document = of_cause(Flavor::MySql, &[], fsync);
    let then = |document: &Document| {
        let mut advised = advised(document, None).into_iter();
        advised
            .find(|advice| advice.change == "journal commit")
            .unwrap()
            .then
    };
    assert!(then(&document).contains("more on xfs"), "{}", then(&document));
    document.server.placement = vec![Placed {
        class: FileClass::Binlog,
        directory: "/logs".to_owned(),
        file_system: "xfs".to_owned(),
        device: "/dev/vdb".to_owned(),
    }];
    assert!(!then(&document).contains("more on xfs"), "{}", then(&document));
}

#[test]
fn the_interval_is_that_of_the_columns() {
    let fsync = on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit);
    let document = of_cause(Flavor::MySql, &[("sync_binlog", "1")], fsync);
    let commits = document.commits.as_ref().unwrap();
    let advised = advised(&document, Some(&columns(&document)));
    let mut texts = advised.iter().map(|advice| text(advice, commits));
    let text = texts.find(|text| text.starts_with("sync_binlog")).unwrap();
    assert!(text.starts_with("sync_binlog=100 (now 1): 33 % (3"), "{text}");
}

#[test]
fn the_table_has_the_variables_of_each_rule_beside_the_causes_that_it_governs() {
    for example in examples() {
        let rows = TABLE.iter().filter(|row| row.governs(example.cause));
        let beside: BTreeSet<&str> = rows.flat_map(|row| row.variables).copied().collect();
        for rule in RULES.iter().filter(|rule| rule.governs(example.cause)) {
            let conditions = rule.when.iter().map(|(variable, _)| *variable);
            for variable in rule.variables.iter().copied().chain(conditions) {
                assert!(beside.contains(variable), "{variable} of {:?}", example.cause);
            }
        }
    }
}
