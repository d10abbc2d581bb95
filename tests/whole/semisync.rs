//! Semi-synchronous replication with a real replica: what commits wait for it has a name, and is as long as the source
//! itself says. Needs root, MySQL with its plugins, and MariaDB.

use std::fs;

use logtrace_attribution::cause::{Wait, Who};
use logtrace_common::Flavor;
use logtrace_laboratory::semisync_pair::{SemisyncPair, role};
use logtrace_report::document::{CauseRow, Document};

use crate::common::{Ran, Running, alone, run, share, total};

fn is_ack(cause: &CauseRow) -> bool {
    cause.cause.wait == Wait::SemisyncAck
}

/// Acknowledgements are named, as nothing but what they are.
fn assert_named(document: &Document, what: &str) {
    assert!(share(document, is_ack) > 0.1, "{what}: {:?}", document.causes);
    let misnamed = |cause: &CauseRow| cause.cause.wait == Wait::Client;
    assert!(share(document, misnamed) < 0.01, "{what}: {:?}", document.causes);
    // Whoever ends the wait may not be the receiver of the acknowledgements. What is left over then is the waiter's.
    let in_background = |cause: &CauseRow| is_ack(cause) && cause.cause.who == Who::Background;
    let (acks, background) = (total(document, is_ack), total(document, in_background));
    assert!(background * 100 >= acks * 99, "{what}: {:?}", document.causes);
    let on_files = |cause: &CauseRow| is_ack(cause) && cause.cause.io.is_some();
    assert_eq!(total(document, on_files), 0, "{what}: {:?}", document.causes);
    assert!(
        document.unexplained * 20 <= document.commits.as_ref().unwrap().total,
        "{what}"
    );
}

/// One connection's waits are as long as the source counted in the window, but for what it takes to wake up, and for a
/// commit at each edge.
fn assert_as_told(ran: &Ran, flavor: Flavor, what: &str) {
    let document = ran.good();
    let text = fs::read_to_string(ran.file("server.json")).unwrap();
    let server: serde_json::Value = serde_json::from_str(&text).unwrap();
    let name = format!("Rpl_semi_sync_{}_tx_wait_time", role(flavor));
    let told_ns = server["status_delta"][&name].as_f64().unwrap() * 1e3;
    let acks = total(&document, is_ack) as f64 / told_ns;
    // Whoever woke, and whatever for.
    let wakes = |cause: &CauseRow| {
        cause.cause.io.is_none() && (cause.cause.wait == Wait::OnCpu || cause.cause.wait.is_for_cpu())
    };
    let with_wakes = acks + total(&document, wakes) as f64 / told_ns;
    println!("{what}: {acks:.3} to {with_wakes:.3} of the {told_ns} ns that the source counted");
    assert!(
        acks <= 1.05 && with_wakes >= 0.95,
        "{what}: {acks} to {with_wakes}"
    );
}

#[test]
fn a_commit_of_mysql_that_waits_for_a_replica_says_so_and_how_long() {
    says_so_and_how_long(Flavor::MySql);
}

#[test]
#[ignore = "long: the acknowledgements of replicas again, on the other server"]
fn a_commit_of_mariadb_that_waits_for_a_replica_says_so_and_how_long() {
    says_so_and_how_long(Flavor::MariaDb);
}

fn says_so_and_how_long(flavor: Flavor) {
    let _alone = alone();
    let pair = SemisyncPair::start(flavor);
    let measured = |connections| {
        run(&format!(
            "--server {} --workload update_key --max --connections {connections} --duration 1500ms --warmup 300ms \
             --tables 1 --rows 500",
            pair.source.address("root")
        ))
    };
    for wait_point in ["AFTER_SYNC", "AFTER_COMMIT"] {
        pair.wait_after(wait_point);
        let what = format!("{flavor}, {wait_point}");
        let one = measured(1);
        assert_named(&one.good(), &what);
        assert_as_told(&one, flavor, &what);
    }
    let group = measured(8);
    assert_named(&group.good(), &format!("{flavor}, 8 connections"));
    assert!(group.stdout().contains("semisync ACK"), "{}", group.stdout());
    assert_named(&traced(&pair), &format!("trace of {flavor}"));
    assert_eq!(pair.given_up(), 0, "commits that did not wait");
}

/// A few commits, seen without a login.
fn traced(pair: &SemisyncPair) -> Document {
    pair.source.tell("CREATE DATABASE d");
    pair.source.tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
    let tracing = Running::start(&format!("trace --pid {}", pair.source.pid()));
    pair.source.wait_until_traced();
    for number in 0..20 {
        pair.source.tell(&format!("INSERT INTO d.t VALUES ({number})"));
    }
    tracing.interrupt();
    let ran = tracing.ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    ran.document()
}
