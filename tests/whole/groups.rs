//! Group commit as the servers state it, on real servers.

use logtrace_attribution::cause::Who;
use logtrace_report::document::{CauseRow, Document, Groups};

use crate::common::{SERVERS, beside_others, run, share, total};

const CONNECTIONS: u64 = 8;

fn is_previous_group(cause: &CauseRow) -> bool {
    cause.cause.who == Who::PreviousGroup
}

/// A closed loop in full detail; its parts add up, nothing was lost, and every member was found.
fn in_full_detail(arguments: &str) -> Document {
    let ran = run(&format!(
        "--workload update_key --max --duration 1s --warmup 300ms --detail full {arguments}"
    ));
    let document = ran.good();
    let tracer = document.tracer.as_ref().unwrap();
    assert_eq!(
        (tracer.lost, tracer.undecodable, tracer.invariant_violations),
        (0, 0, 0),
        "{arguments}"
    );
    let has_groups = groups(&document).count > 0;
    assert!(!has_groups || tracer.unmatched == 0, "{arguments}");
    let commits = document.commits.as_ref().unwrap();
    assert!(commits.count > 0);
    assert_eq!(total(&document, |_| true), commits.total);
    assert_eq!(
        ran.stdout().contains("group commit: "),
        has_groups,
        "{}",
        ran.stdout()
    );
    document
}

fn groups(document: &Document) -> &Groups {
    document.groups.as_ref().unwrap()
}

#[test]
fn every_commit_is_in_a_group_and_groups_grow_with_the_connections() {
    let _turn = beside_others();
    for server in SERVERS {
        let document = in_full_detail(&format!("--connections {CONNECTIONS} --server {server}"));
        let (groups, commits) = (groups(&document), document.commits.as_ref().unwrap());
        // A group at an edge of the window may have its leader within and members without, or the other way round.
        assert!(
            groups.members.abs_diff(commits.count) <= 2 * CONNECTIONS,
            "{server}: {} members, {} commits",
            groups.members,
            commits.count
        );
        assert!(groups.members > groups.count, "{server}: {groups:?}");
        assert!(groups.sizes.len() as u64 <= CONNECTIONS, "{server}: {groups:?}");
        let followers = groups.members - groups.count + groups.merged;
        assert!(
            groups.led.abs_diff(followers) <= 4 * CONNECTIONS,
            "{server}: {groups:?}"
        );
        assert!(
            share(&document, is_previous_group) > 0.01,
            "{server}: {:?}",
            document.causes
        );
        // A sixth to a quarter, on MySQL.
        assert!(
            groups.disagreements.total * 2 < commits.total,
            "{server}: {groups:?} of {} ns",
            commits.total
        );
    }
}

#[test]
fn a_single_connection_leads_itself() {
    let _turn = beside_others();
    for server in SERVERS {
        let document = in_full_detail(&format!("--connections 1 --server {server}"));
        let (groups, commits) = (groups(&document), document.commits.as_ref().unwrap());
        assert_eq!(groups.sizes, [commits.count], "{server}");
        assert_eq!((groups.led, groups.merged), (0, 0), "{server}");
        assert_eq!(total(&document, is_previous_group), 0, "{server}");
    }
}

#[test]
fn no_groups_are_stated_without_a_binlog() {
    let _turn = beside_others();
    for server in SERVERS {
        let document = in_full_detail(&format!(
            "--connections {CONNECTIONS} --server {server} --set log_bin=OFF"
        ));
        assert_eq!(groups(&document), &Groups::default(), "{server}");
        assert_eq!(total(&document, is_previous_group), 0, "{server}");
    }
}

#[test]
fn below_full_detail_only_mysqls_groups_are_read() {
    let _turn = beside_others();
    for (server, detail, reads) in [
        ("mysql", "io", true),
        ("mysql", "commit", false),
        ("mariadb", "io", false),
    ] {
        let ran = run(&format!(
            "--workload update_key --max --connections {CONNECTIONS} --duration 1s --warmup 300ms --server {server} \
             --detail {detail}"
        ));
        let document = ran.good();
        assert_eq!(document.groups.is_some(), reads, "{server} {detail}");
        assert_eq!(
            total(&document, is_previous_group) > 0,
            reads,
            "{server} {detail}"
        );
    }
}
