//! Rotations of the binary log.

use logtrace_attribution::breakdown::OverTime;
use logtrace_attribution::cause::{Cause, Who};
use logtrace_common::{FileClass, units};
use logtrace_events::IoOp;

use crate::document::Document;
use crate::render::sections::holders::Culprit;
use crate::render::sections::session;

/// Part of all commit time from which rotations are told before anything else: a twentieth.
const PART_OF_ALL: u64 = 20;

/// Returns the rotations for which commits waited, or `None` if that was little of their time.
pub(super) fn culprit(document: &Document, over_time: Option<&OverTime>) -> Option<Culprit> {
    let commits = document.commits.as_ref()?;
    let rows = document.causes.iter();
    let rows: Vec<_> = rows.filter(|row| is_of_rotation(document, row.cause)).collect();
    let ns = units::sum(rows.iter().map(|row| row.total));
    if ns == 0 || ns < commits.total / PART_OF_ALL {
        return None;
    }
    let waited = units::duration(ns);
    let waited = match commits.count {
        1 => format!("A commit waited {waited}"),
        _ => format!("Commits waited {waited} in all"),
    };
    let by = over_time.and_then(|over_time| session_of(document, over_time, ns));
    Some(Culprit {
        ns,
        sentence: format!(
            "{waited} for a rotation of the binary log{}.",
            by.map_or_else(String::new, |by| format!(" by {by}"))
        ),
    })
}

/// Returns the session that did most of the rotations, if they were not those of commits.
fn session_of(document: &Document, over_time: &OverTime, ns: u64) -> Option<String> {
    let thread = over_time.waited_for.as_ref()?.threads.first()?;
    let synced = thread
        .did
        .first()?
        .words
        .starts_with(&format!("{} {}", FileClass::Binlog, IoOp::Fsync));
    let is_its = synced && thread.who.contains(&Who::Session) && thread.ns > ns / 2;
    is_its.then(|| session::with_statement(document, thread.tid, None))
}

/// Returns whether the largest cause of these times is the rotation of the binlog: most of its syncs are of one.
pub(super) fn is_rotation(document: &Document, cause: Cause, times: &[(Cause, u64)]) -> bool {
    let syncs = || times.iter().filter(|(cause, _)| is_sync(*cause));
    let of_rotation = syncs().filter(|(cause, _)| is_of_rotation(document, *cause));
    let of_rotation = units::sum(of_rotation.map(|&(_, ns)| ns));
    is_sync(cause) && of_rotation > units::sum(syncs().map(|&(_, ns)| ns)) / 2
}

/// Returns whether a cause is a sync of the binlog for its rotation: by a session outside of a commit, by the thread that notes a
/// checkpoint after it, or any where commits do not sync it (MYSQL_BIN_LOG::new_file_impl() in sql/binlog.cc, sql/log.cc of
/// MariaDB, and there binlog_background_thread()).
fn is_of_rotation(document: &Document, cause: Cause) -> bool {
    let syncs = document.server.settings.get("sync_binlog");
    let by_others = matches!(cause.who, Who::Session | Who::Background);
    is_sync(cause) && (by_others || syncs.is_some_and(|syncs| syncs == "0"))
}

fn is_sync(cause: Cause) -> bool {
    cause.io == Some((FileClass::Binlog, IoOp::Fsync))
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::{ThreadTime, ThreadWork, WaitedFor};
    use logtrace_attribution::cause::Wait;
    use logtrace_common::Flavor;

    use super::*;
    use crate::document::{CauseRow, Commits, Server};

    const MS_NS: u64 = 1_000_000;

    fn document(sync_binlog: &str) -> Document {
        let server = Server::sample(Flavor::MySql, &[("sync_binlog", sync_binlog)]);
        Document::new(String::new(), server)
    }

    fn sync(who: Who) -> Cause {
        Cause {
            who,
            io: Some((FileClass::Binlog, IoOp::Fsync)),
            wait: Wait::DeviceFlush,
        }
    }

    #[test]
    fn a_sync_of_the_binlog_that_no_commit_does_is_its_rotation() {
        let is =
            |sync_binlog, times: &[(Cause, u64)]| is_rotation(&document(sync_binlog), sync(Who::Own), times);
        let (by_session, by_leader) = ((sync(Who::Session), 60), (sync(Who::Leader), 50));
        assert!(is("1", &[by_session, by_leader]) && is("0", &[by_leader]));
        assert!(!is("1", &[by_leader, (Cause::own(Wait::OnCpu), 500)]));
        assert!(!is_rotation(&document("0"), Cause::own(Wait::DeviceFlush), &[]));
    }

    #[test]
    fn rotations_are_told_with_the_time_that_commits_waited_for_them() {
        let told = |sync_binlog, who, ms: u64| {
            let mut document = document(sync_binlog);
            document.commits = Some(Commits {
                count: 10,
                total: 2_000 * MS_NS,
                ..Commits::default()
            });
            document.causes = vec![CauseRow {
                cause: sync(who),
                total: ms * MS_NS,
                commits: 1,
                slowest: 0,
            }];
            let thread = ThreadTime {
                tid: 17,
                who: [who].into(),
                ns: ms * MS_NS,
                did: vec![ThreadWork {
                    words: "binlog fsync device flush".to_owned(),
                    ns: ms * MS_NS,
                }],
                ..ThreadTime::default()
            };
            let over_time = OverTime {
                waited_for: Some(WaitedFor {
                    threads: vec![thread],
                    ..WaitedFor::default()
                }),
                ..OverTime::default()
            };
            culprit(&document, Some(&over_time)).map(|culprit| culprit.sentence)
        };
        let rotated = |by| {
            Some(format!(
                "Commits waited 1.10 s in all for a rotation of the binary log{by}."
            ))
        };
        assert_eq!(told("1", Who::Session, 1_100), rotated(" by thread 17"));
        assert_eq!(told("1", Who::Background, 1_100), rotated(""));
        assert_eq!(told("0", Who::Leader, 1_100), rotated(""));
        assert_eq!(told("1", Who::Leader, 1_100), None);
        assert_eq!(told("1", Who::Session, 99), None);
    }
}
