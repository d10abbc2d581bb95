//! The main job on real servers: what it counts, that it adds up, and that it changes as the settings say.

use std::fs;

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::{FileClass, units};
use logtrace_events::IoOp;
use logtrace_report::document::{CauseRow, CaveatKind};

use crate::common::sound::{assert_counted, assert_sound};
use crate::common::{
    Ran, SERVERS, alone, beside_others, done_in_window, driver, is_leader, logtrace, run, share, tells,
    total, workload,
};
use crate::exports::colors::assert_colors_and_rows;

fn fsync_of(class: FileClass) -> impl Fn(&CauseRow) -> bool {
    move |cause| cause.cause.io == Some((class, IoOp::Fsync))
}

#[test]
fn a_commit_of_mariadb_without_binlog_goes_on_until_its_log_is_durable() {
    let _turn = beside_others();
    let ran = run(
        "--workload update_key --max --connections 8 --duration 2s --warmup 500ms --server mariadb --set log_bin=OFF",
    );
    let document = ran.good();
    assert_sound(&document);
    let response = document.response.as_ref().unwrap();
    assert!(
        response.after_commit * 5 < response.commit,
        "{} ns after a commit of {} ns",
        response.after_commit,
        response.commit
    );
    assert!(share(&document, is_leader) > 0.2, "others are waited for");
}

#[test]
fn more_detail_says_more() {
    let _turn = beside_others();
    for server in SERVERS {
        let at = |detail| {
            let ran = run(&format!(
                "--workload update_key --max --connections 8 --duration 2s --warmup 500ms --server {server} \
                 --detail {detail}"
            ));
            let document = ran.good();
            assert_sound(&document);
            document
        };
        let commit = at("commit");
        assert!(commit.files.is_none() && commit.devices.is_none() && commit.groups.is_none());
        assert!(share(&commit, |cause| cause.cause.wait == Wait::FileIo) > 0.01);
        let full = at("full");
        let flushes: u64 = full.devices.iter().flatten().map(|device| device.flushes).sum();
        let waits: u64 = full.files().iter().map(|file| file.flush_waits).sum();
        assert!(
            flushes > 0 && waits > 0,
            "{flushes} flushes, {waits} waits for them"
        );
        assert!(share(&full, |cause| cause.cause.wait == Wait::FileIo) < 0.01);
    }
}

#[test]
fn the_main_job_explains_both_servers() {
    let _alone = alone();
    for server in SERVERS {
        let ran = run(&format!(
            "--workload update_key --rate 300/s --duration 5s --warmup 1s --server {server}"
        ));
        let document = ran.good();
        assert_sound(&document);
        let driver = driver(&document);
        assert_eq!(driver.offered_per_s, Some(300.0));
        // What was due in the window and done after it is not achieved.
        let later = driver.backlog_end as f64 / driver.requests as f64;
        assert!(
            (driver.achieved_per_s / 300.0 - 1.0).abs() <= 0.01 + later,
            "{server}: {} with {} of {} done later",
            driver.achieved_per_s,
            driver.backlog_end,
            driver.requests
        );
        assert!(driver.errors.is_empty());
        for class in [FileClass::Binlog, FileClass::Redo] {
            assert!(
                share(&document, fsync_of(class)) > 0.01,
                "{server}: no {class} fsync in {:?}",
                document.causes
            );
        }
        for name in [
            "report.html",
            "flamegraph.svg",
            "commits.folded",
            "over-time.json",
            "response.svg",
            "response.folded",
            "latency.hlog",
            "server.json",
            "host.json",
        ] {
            assert!(ran.file(name).metadata().unwrap().len() > 0, "{name}");
        }
        assert!(ran.stdout().contains("commits, mean"), "{}", ran.stdout());
        assert!(
            ran.stderr().is_empty(),
            "quiet without a terminal: {}",
            ran.stderr()
        );
    }
}

#[test]
fn a_log_that_is_not_synced_leaves_the_commit() {
    let _turn = alone();
    for server in SERVERS {
        let common = format!("--rate 300/s --duration 3s --warmup 500ms --rows 2000 --server {server}");
        let no_binlog = run(&format!("{common} --set sync_binlog=0")).good();
        let no_redo = run(&format!("{common} --set innodb_flush_log_at_trx_commit=2")).good();
        for document in [&no_binlog, &no_redo] {
            assert_sound(document);
        }
        assert_eq!(total(&no_binlog, fsync_of(FileClass::Binlog)), 0, "{server}");
        assert!(share(&no_binlog, fsync_of(FileClass::Redo)) > 0.1, "{server}");
        // A change to the next redo file still syncs, whoever commits then.
        assert!(
            share(&no_redo, fsync_of(FileClass::Redo)) < 0.05,
            "{server}: {:?}",
            no_redo.causes
        );
        assert!(share(&no_redo, fsync_of(FileClass::Binlog)) > 0.1, "{server}");
    }
}

#[test]
fn a_commit_that_waits_for_another_ones_fsync_is_charged_to_it() {
    let _turn = alone();
    for server in SERVERS {
        let common = format!("--max --duration 2s --warmup 500ms --rows 2000 --server {server}");
        let group = run(&format!("{common} --connections 8")).good();
        let single = run(&format!("{common} --connections 1")).good();
        assert_sound(&group);
        assert_sound(&single);
        let led =
            |cause: &CauseRow| is_leader(cause) && cause.cause.io.is_some_and(|(_, op)| op == IoOp::Fsync);
        assert!(share(&group, led) > 0.1, "{server}: {:?}", group.causes);
        assert_eq!(total(&single, is_leader), 0, "{server}: {:?}", single.causes);
        assert!(
            driver(&group).achieved_per_s > driver(&single).achieved_per_s,
            "{server}: group commit helps"
        );
    }
}

#[test]
fn reading_commits_nothing_and_every_writing_workload_commits_once_a_request() {
    for (workload, server) in [
        ("update_nokey", "mysql"),
        ("insert", "mariadb"),
        ("write_only", "mysql"),
        ("read_write", "mariadb"),
        ("point_select", "mysql"),
        ("read_only", "mariadb"),
    ] {
        commits_once_a_request_or_never(workload, server);
    }
}

#[test]
#[ignore = "long: the workloads again, each with the other server"]
fn each_workload_commits_on_the_other_server_as_often() {
    for (workload, server) in [
        ("update_nokey", "mariadb"),
        ("insert", "mysql"),
        ("write_only", "mariadb"),
        ("read_write", "mysql"),
        ("point_select", "mariadb"),
        ("read_only", "mysql"),
    ] {
        commits_once_a_request_or_never(workload, server);
    }
}

fn commits_once_a_request_or_never(workload: &str, server: &str) {
    let _turn = beside_others();
    let document = run(&format!(
        "--workload {workload} --rate 100/s --duration 2s --warmup 500ms --server {server}"
    ))
    .good();
    match workload {
        "update_nokey" | "insert" => assert_sound(&document),
        // Transactions wait for each other's locks: requests at the edges weigh more than `assert_joined` allows.
        "write_only" | "read_write" => assert_counted(&document),
        _ => {
            assert!(driver(&document).done > 0);
            let commits = document.commits.as_ref().unwrap().count;
            assert_eq!(commits, 0, "{server} {workload}: read-only commits do not wait");
        }
    }
}

#[test]
fn a_transaction_of_ten_updates_is_one_commit_and_explained() {
    let _turn = beside_others();
    let writers = "mysql --set innodb_log_writer_threads=ON";
    for server in [SERVERS[0], writers, SERVERS[1]] {
        let ran = run(&format!(
            "--workload write_only_10 --max --connections 8 --duration 2s --warmup 500ms --tables 2 --rows 2000 \
             --server {server}"
        ));
        let document = ran.good();
        // Few and long: those at the edges of the window weigh more than `assert_joined` allows.
        assert_counted(&document);
        assert!(driver(&document).done > 0 && driver(&document).errors.is_empty());
        assert!(
            document.unexplained * 100 <= document.commits.as_ref().unwrap().total,
            "{server}: {} ns unexplained",
            document.unexplained
        );
    }
}

#[test]
fn a_rate_may_be_a_share_of_the_capacity_that_is_measured_first() {
    let _turn = beside_others();
    let ran = run("--rate 20% --duration 2s --warmup 500ms --rows 1000 --server mariadb --no-trace");
    let document = ran.good();
    let capacity = driver(&document).capacity.as_ref().unwrap();
    let offered = driver(&document).offered_per_s.unwrap();
    assert!(
        (offered / capacity.per_s - 0.2).abs() < 1e-9,
        "{offered} of {capacity:?}"
    );
    let [.., before, last] = *capacity.parts_per_s else {
        panic!("{capacity:?}")
    };
    assert_eq!(capacity.per_s, last.min(before));
    assert_eq!(capacity.lasts, last >= 0.9 * before);
    assert_eq!(tells(&document, &CaveatKind::CapacityFell), !capacity.lasts);
    assert!(ran.stdout().contains("% of the capacity"), "{}", ran.stdout());
    assert!(ran.stdout().contains("run both with --rate"), "{}", ran.stdout());
    assert!(
        document.commits.is_none() && document.tracer.is_none(),
        "--no-trace"
    );
}

#[test]
fn a_report_renders_again_without_root_and_a_recording_is_kept() {
    let _turn = beside_others();
    let ran = run("--rate 200/s --duration 2s --warmup 500ms --rows 1000 --server mariadb --record");
    let document = ran.good();
    let records = ran.file("records.bin").metadata().unwrap().len();
    let tracer = document.tracer.as_ref().unwrap();
    assert!(
        records > tracer.events * 40,
        "{records} bytes for {} records",
        tracer.events
    );
    let report = |format: &str| ran.report(format);
    assert!(
        ran.stdout().starts_with(&report("terminal")),
        "the same text again"
    );
    assert_eq!(report("json"), fs::read_to_string(ran.file("run.json")).unwrap());
    assert_eq!(
        report("folded"),
        fs::read_to_string(ran.file("commits.folded")).unwrap()
    );
    assert_eq!(
        report("html"),
        fs::read_to_string(ran.file("report.html")).unwrap()
    );
    let folded: u64 = report("folded")
        .lines()
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(
        folded,
        document.commits.as_ref().unwrap().total,
        "folded stacks add up too"
    );
    assert!(report("csv").lines().count() > document.causes.len());
    assert!(report("markdown").contains("| "));
    assert_exported(&ran);
    assert_colors_and_rows(&ran);
}

/// Checks that all commits of a recording are exported to Perfetto. crates/report/tests/report/perfetto.rs reads the file.
fn assert_exported(ran: &Ran) {
    let mut command = logtrace();
    command.arg("report").arg(ran.file(""));
    let output = command
        .args(["--format", "perfetto", "--whole"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{said}");
    let exported = ran.file("commits.pftrace.gz");
    assert!(
        said.ends_with(&format!("written to {}\n", exported.display())),
        "{said}"
    );
    let exported = fs::read(exported).unwrap();
    assert!(exported.starts_with(&[0x1f, 0x8b]), "gzip (RFC 1952)");
    let commits = units::count(ran.document().commits.unwrap().count);
    assert!(said.starts_with(&format!("{commits} commits of ")), "{said}");
}

#[test]
fn work_of_other_commits_and_of_background_threads_is_charged_to_them() {
    let _turn = beside_others();
    let ran = run("--max --connections 32 --duration 3s --warmup 500ms --rows 50 --tables 1 --server mysql");
    let document = ran.good();
    assert_sound(&document);
    for who in [Who::Own, Who::Leader, Who::PreviousGroup, Who::Background] {
        let has_part = |cause: &CauseRow| cause.cause.who == who;
        assert!(
            document.causes.iter().any(has_part),
            "{who}: {:?}",
            document.causes
        );
    }
    assert!(driver(&document).done > 0);
}

#[test]
fn a_statement_pays_for_the_logs_of_statements() {
    for (server, output) in [("mysql", "FILE"), ("mariadb", "TABLE")] {
        pays_for_the_logs(server, output);
    }
}

#[test]
#[ignore = "long: the logs of statements again, each with the other server"]
fn a_statement_pays_for_the_logs_of_the_other_server() {
    for (server, output) in [("mysql", "TABLE"), ("mariadb", "FILE")] {
        pays_for_the_logs(server, output);
    }
}

fn pays_for_the_logs(server: &str, output: &str) {
    let _turn = beside_others();
    let ran = run(&format!(
        "--workload point_select --rate 200/s --duration 3s --warmup 1s --connections 2 --tables 1 --rows 1000 \
         --server {server} --detail full --set general_log=ON --set slow_query_log=ON --set long_query_time=0 \
         --set log_output={output}"
    ));
    let document = ran.good();
    let statements = document.statements.as_ref().unwrap();
    let done = done_in_window(&document);
    assert!(
        statements.count.abs_diff(done) * 20 <= done + 40,
        "{server}: {} statements, {done} requests",
        statements.count
    );
    let total: u64 = statements.causes.iter().map(|row| row.total).sum();
    assert_eq!(total, statements.total);
    for class in [FileClass::GeneralLog, FileClass::SlowLog] {
        let rows = statements.causes.iter();
        let mut rows = rows.filter(|row| row.cause.io == Some((class, IoOp::Write)));
        assert!(
            rows.any(|row| row.cause.who == Who::Own && row.statements * 2 > statements.count),
            "{server}, {output}: {class} in {:?}",
            statements.causes
        );
    }
}

#[test]
fn a_private_server_has_room_for_all_connections() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--workload update_key --max --connections 200 --duration 1s --warmup 500ms --tables 2 --rows 1000 --server {server}"
        ));
        let document = ran.good();
        assert_sound(&document);
        assert_eq!(workload(&document).connections, 200);
    }
}
