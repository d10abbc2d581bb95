//! What the server states of its groups reaches the analysis as it was said.

use std::sync::mpsc::channel;
use std::thread;

use logtrace_common::Detail;
use logtrace_events::{Commit, Losses, Member, Record, SyncStage};

use crate::server::{self, Server};
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

fn sync_stages(records: &[Record]) -> Vec<SyncStage> {
    let step = |record: &Record| match record {
        Record::SyncStage(step) => Some(*step),
        _ => None,
    };
    records.iter().filter_map(step).collect()
}

/// Ten groups of two commits; returns the thread that follows.
fn lead_groups(server: Server) -> u32 {
    let (lead, is_led) = channel();
    let (joined, has_joined) = channel();
    let (done, is_done) = channel::<()>();
    let follower = thread::spawn(move || {
        for _ in 0..10 {
            commit(|| {
                is_led.recv().unwrap();
                server.join(FOLLOWER);
                joined.send(()).unwrap();
                is_done.recv().unwrap();
            });
        }
        tid()
    });
    for _ in 0..10 {
        commit(|| {
            server.join(LEADER);
            lead.send(()).unwrap();
            has_joined.recv().unwrap();
            server.lead(&[LEADER, FOLLOWER]);
            if server == Server::MySql {
                server::lead_sync_stage();
            }
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
fn a_leader_names_each_member_with_its_thread() {
    let _turn = turn();
    for server in [Server::MySql, Server::MariaDb] {
        let mut follower = 0;
        let (records, account) = traced_at(Detail::Full, || follower = lead_groups(server));
        assert_eq!(account.losses, Losses::default());
        assert!(account.probes.iter().all(|probe| probe.missing.is_none()));
        let leading = commits(&records, tid());
        let members = members(&records);
        assert_eq!(members.len(), 20, "{server:?}");
        for pair in members.chunks(2) {
            assert_eq!((pair[0].tid, pair[1].tid), (tid(), follower));
            for member in pair {
                assert_eq!(member.leader, tid());
                let joined_in = of(&commits(&records, member.tid), member.joined_ns);
                assert!(joined_in.is_some(), "it joined in its commit");
                assert!(member.leader_commit_ns.is_some());
                assert_eq!(member.leader_commit_ns, of(&leading, member.at_ns));
            }
        }
        let steps: Vec<_> = sync_stages(&records)
            .iter()
            .map(|step| (step.tid, step.commit_ns == of(&leading, step.at_ns)))
            .collect();
        match server {
            Server::MySql => assert_eq!(steps, [(tid(), true)].repeat(10)),
            Server::MariaDb => assert!(steps.is_empty()),
        }
    }
}

#[test]
fn a_member_that_never_joined_is_counted() {
    let _turn = turn();
    let (records, account) = traced_at(Detail::Full, || {
        commit(|| {
            Server::MariaDb.join(LEADER);
            Server::MariaDb.lead(&[LEADER, LEADER, FOLLOWER + 1]);
        });
    });
    assert_eq!(members(&records).len(), 1);
    assert_eq!(account.losses.unmatched, 2);
}

#[test]
fn a_large_group_of_mysql_has_all_that_joined_before_its_leader_took_the_queue() {
    let _turn = turn();
    let (records, account) = traced_at(Detail::Io, || {
        commit(|| {
            Server::MySql.lead(&[]);
            (0..300).for_each(|name| Server::MySql.join(name));
            Server::MySql.lead(&[]);
            Server::MySql.join(300);
            Server::MySql.lead(&[]);
        });
    });
    assert_eq!(account.losses, Losses::default());
    let members = members(&records);
    let takes: Vec<_> = members
        .chunk_by(|a, b| a.at_ns == b.at_ns)
        .map(<[_]>::len)
        .collect();
    assert_eq!(takes, [300, 1]);
    assert!(members.iter().all(|member| member.joined_ns < member.at_ns));
    assert!(members.is_sorted_by_key(|member| member.joined_ns));
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
        assert_eq!(members(&records).len(), expected, "{detail} {server:?}");
        let probes = account.probes.iter().map(|probe| probe.place.as_str());
        let is_attached = probes.clone().any(|place| place.contains("MYSQL_BIN_LOG"));
        assert_eq!(is_attached, detail == Detail::Io, "{detail}");
    }
}
