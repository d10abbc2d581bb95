//! What the server states of its groups reaches the analysis as it was said.

use std::sync::mpsc::channel;
use std::thread;

use logtrace_common::Detail;
use logtrace_events::{Commit, FlushStage, Losses, Member, QueueEntry, Record};

use crate::server::Server;
use crate::turn::turn;
use crate::{commit, commits, tid, traced_at};

/// Names of the leader's and the other member's commit.
const LEADER: u64 = 0x7000_0010;
const FOLLOWER: u64 = 0x7000_0020;

fn members(records: &[Record]) -> Vec<Member> {
    let member = |record: &Record| match record {
        Record::Member(member) => Some(*member),
        _ => None,
    };
    records.iter().filter_map(member).collect()
}

fn queue_entries(records: &[Record]) -> Vec<QueueEntry> {
    let entry = |record: &Record| match record {
        Record::QueueEntry(entry) => Some(*entry),
        _ => None,
    };
    records.iter().filter_map(entry).collect()
}

fn flush_stages(records: &[Record]) -> Vec<FlushStage> {
    let step = |record: &Record| match record {
        Record::FlushStage(step) => Some(*step),
        _ => None,
    };
    records.iter().filter_map(step).collect()
}

/// Ten groups of two commits; returns the thread that follows.
fn lead_groups(server: Server) -> u32 {
    let (lead, is_led) = channel();
    let (entered, has_entered) = channel();
    let (done, is_done) = channel::<()>();
    let follower = thread::spawn(move || {
        for _ in 0..10 {
            commit(|| {
                is_led.recv().unwrap();
                server.enter(FOLLOWER);
                entered.send(()).unwrap();
                is_done.recv().unwrap();
            });
        }
        tid()
    });
    for _ in 0..10 {
        commit(|| {
            server.enter(LEADER);
            lead.send(()).unwrap();
            has_entered.recv().unwrap();
            server.lead(&[LEADER, FOLLOWER]);
            done.send(()).unwrap();
        });
    }
    follower.join().unwrap()
}

fn of(commits: &[Commit], at_ns: u64) -> Option<u64> {
    let commit = commits
        .iter()
        .find(|commit| commit.start_ns <= at_ns && at_ns <= commit.end_ns)?;
    Some(commit.start_ns)
}

#[test]
fn a_leader_of_mariadb_names_each_member_with_its_thread() {
    let _turn = turn();
    let mut follower = 0;
    let (records, account) = traced_at(Detail::Full, || follower = lead_groups(Server::MariaDb));
    assert_eq!(account.losses, Losses::default());
    assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
    let leading = commits(&records, tid());
    let members = members(&records);
    assert_eq!(members.len(), 20);
    for pair in members.chunks(2) {
        assert_eq!((pair[0].tid, pair[1].tid), (tid(), follower));
        for member in pair {
            assert_eq!(member.leader, tid());
            let entered_in = of(&commits(&records, member.tid), member.entered_ns);
            assert!(entered_in.is_some(), "it entered in its commit");
            assert!(member.leader_commit_ns.is_some());
            assert_eq!(member.leader_commit_ns, of(&leading, member.at_ns));
        }
    }
}

#[test]
fn all_that_entered_the_queue_of_mysql_did_so_before_its_leader_took_it() {
    let _turn = turn();
    let mut follower = 0;
    let (records, account) = traced_at(Detail::Full, || follower = lead_groups(Server::MySql));
    assert_eq!(account.losses, Losses::default());
    assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
    let leading = commits(&records, tid());
    let (entries, steps) = (queue_entries(&records), flush_stages(&records));
    assert_eq!((entries.len(), steps.len()), (20, 10));
    for (pair, step) in entries.chunks(2).zip(steps) {
        assert_eq!((pair[0].tid, pair[1].tid), (tid(), follower));
        assert!(pair.is_sorted_by_key(|entry| entry.at_ns) && pair[1].at_ns < step.at_ns);
        for entry in pair {
            let entered_in = of(&commits(&records, entry.tid), entry.at_ns);
            assert!(entered_in.is_some(), "it entered in its commit");
        }
        assert_eq!(step.tid, tid());
        assert!(step.commit_ns.is_some());
        assert_eq!(step.commit_ns, of(&leading, step.at_ns));
    }
}

#[test]
fn a_member_that_never_entered_is_counted() {
    let _turn = turn();
    let (records, account) = traced_at(Detail::Full, || {
        commit(|| {
            Server::MariaDb.enter(LEADER);
            Server::MariaDb.lead(&[LEADER, LEADER, FOLLOWER + 1]);
        });
    });
    assert_eq!(members(&records).len(), 1);
    assert_eq!(account.losses.unmatched, 2);
}

#[test]
fn the_usual_detail_has_the_groups_of_mysql_and_the_lowest_has_none() {
    let _turn = turn();
    for (detail, server, expected) in [
        (Detail::Io, Server::MySql, 20),
        (Detail::Io, Server::MariaDb, 0),
        (Detail::Commit, Server::MySql, 0),
    ] {
        let (records, account) = traced_at(detail, || {
            lead_groups(server);
        });
        let found = members(&records).len() + queue_entries(&records).len();
        assert_eq!(found, expected, "{detail} {server:?}");
        let probes = account.probes.iter().map(|probe| probe.place.as_str());
        let is_attached = probes.clone().any(|place| place.contains("MYSQL_BIN_LOG"));
        assert_eq!(is_attached, detail == Detail::Io, "{detail}");
    }
}
