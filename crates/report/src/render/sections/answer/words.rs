//! Words for causes within a sentence.

use logtrace_attribution::cause::{Cause, Who};
use logtrace_common::{FileClass, units};
use logtrace_events::IoOp;

use crate::document::Document;

/// Part of a time from which a second cause, or the thread that commits waited for, is named, too: a quarter.
pub(super) const LEAST_SHARE: u64 = 4;

/// Meaning of a rotation, within a sentence.
pub(super) const ROTATED: &str = "the binary log rotated, and all of it had to reach the device";

/// Returns what a cause means, within a sentence. `times` are those of which it is the largest.
pub(super) fn meaning(document: &Document, cause: Cause, times: &[(Cause, u64)]) -> String {
    match is_rotation(document, cause, times) {
        true => ROTATED.to_owned(),
        false => within_a_sentence(cause.wait.meaning()),
    }
}

/// Returns whether a cause is the rotation of the binary log: its sync by a session outside of a commit, or any sync of it where
/// commits do not sync it (MYSQL_BIN_LOG::new_file_impl() in sql/binlog.cc, sql/log.cc of MariaDB).
pub(super) fn is_rotation(document: &Document, cause: Cause, times: &[(Cause, u64)]) -> bool {
    let is_sync = |cause: Cause| cause.io == Some((FileClass::Binlog, IoOp::Fsync));
    let of = |is_one: &dyn Fn(Cause) -> bool| {
        let times = times
            .iter()
            .filter(|(cause, _)| is_sync(*cause) && is_one(*cause));
        units::sum(times.map(|&(_, ns)| ns))
    };
    let syncs = document.server.settings.get("sync_binlog");
    let is_of_session = of(&|cause| cause.who == Who::Session) > of(&|_| true) / 2;
    is_sync(cause) && (is_of_session || syncs.is_some_and(|syncs| syncs == "0"))
}

/// Returns a sentence that begins with a small letter, unless it begins with a name.
fn within_a_sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(char::is_uppercase) || text.starts_with("Group Replication");
    match text.chars().next().filter(|_| !is_name) {
        Some(first) => first.to_lowercase().chain(text.chars().skip(1)).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Wait;
    use logtrace_common::Flavor;
    use strum::IntoEnumIterator;

    use super::*;
    use crate::document::Server;

    fn document(sync_binlog: &str) -> Document {
        let server = Server::sample(Flavor::MySql, &[("sync_binlog", sync_binlog)]);
        Document::new(String::new(), server)
    }

    #[test]
    fn each_meaning_fits_into_a_sentence() {
        let document = document("1");
        let meaning = |wait| meaning(&document, Cause::own(wait), &[]);
        for text in Wait::iter().map(meaning).chain([ROTATED.to_owned()]) {
            assert!(!text.contains(';') && !text.ends_with('.'), "{text}");
        }
        assert!(meaning(Wait::OnCpu).ends_with("code was running"));
        assert_eq!(within_a_sentence("The NFS server"), "the NFS server");
        for name in ["MySQL waited", "InnoDB's log threads", "Group Replication slowed"] {
            assert_eq!(within_a_sentence(name), name);
        }
    }

    #[test]
    fn a_sync_of_the_binlog_that_no_commit_does_is_its_rotation() {
        let sync = |who| Cause {
            who,
            io: Some((FileClass::Binlog, IoOp::Fsync)),
            wait: Wait::DeviceFlush,
        };
        let is =
            |sync_binlog, times: &[(Cause, u64)]| is_rotation(&document(sync_binlog), sync(Who::Own), times);
        let (by_session, by_leader) = ((sync(Who::Session), 60), (sync(Who::Leader), 50));
        assert!(is("1", &[by_session, by_leader]) && is("0", &[by_leader]));
        assert!(!is("1", &[by_leader, (Cause::own(Wait::OnCpu), 500)]));
        assert!(!is_rotation(&document("0"), Cause::own(Wait::DeviceFlush), &[]));
    }
}
