//! Caveat of probes in the server that do not fire; pure.

use logtrace_common::FileClass;
use logtrace_common::units::count;
use logtrace_driver::WorkloadInfo;
use logtrace_events::IoOp;
use logtrace_report::document::{Caveat, CaveatKind, Document, FileRow};

use crate::measurement::Traced;

/// Least number of syncs of the binary log, or of requests that write, that cannot all have been without a commit by chance: a
/// rotation makes up to six of the former.
const LEAST_WRITES: u64 = 20;

/// Returns a caveat if probes in the server do not fire: their code was moved, or there is no commit where something writes.
pub(crate) fn silent_probes(traced: Option<&Traced>, document: &Document) -> Option<Caveat> {
    let moved = traced.map_or(&[][..], |traced| &traced.account.moved_probes);
    if !moved.is_empty() {
        return Some(CaveatKind::SilentProbes.caveat(format!(
            "the server does not run its program from its file where these probes are: {}. A library has copied the code to other \
             memory (huge pages for code), where probes never fire: commits are missing. Remedy: start the server without that \
             library (LD_PRELOAD in its environment), and trace again",
            moved.join(", ")
        )));
    }
    let seen = writes_without_commits(document)?;
    Some(CaveatKind::SilentProbes.caveat(format!(
        "{seen}, and no commit was seen. Either none was for a table with transactions, or the probes in the server do not fire, as \
         where its code was changed or copied while it ran. Remedy: `logtrace doctor`, and a restart of the server"
    )))
}

/// Returns what must have committed though no commit was seen, if anything must. Bursts may hide all commits.
fn writes_without_commits(document: &Document) -> Option<String> {
    let commits = document.commits.as_ref()?;
    let has_gaps = document
        .tracer
        .as_ref()
        .is_some_and(|tracer| tracer.gaps.is_some());
    if commits.count > 0 || has_gaps {
        return None;
    }
    let is_writing = |name: &str| WorkloadInfo::find(name).is_ok_and(WorkloadInfo::commits);
    let workload = document.workload.as_ref();
    let driver = document
        .driver
        .as_ref()
        .filter(|_| workload.is_some_and(|workload| is_writing(&workload.name)));
    let done = driver.map_or(0, |driver| driver.done);
    // A replica writes its relay log before it commits.
    let is_sync = |row: &&FileRow| {
        row.class == FileClass::Binlog && row.op == IoOp::Fsync && !row.path.contains("-relay-bin")
    };
    let syncs: u64 = document.files().iter().filter(is_sync).map(|row| row.count).sum();
    if done >= LEAST_WRITES {
        Some(format!("{} requests that write were answered", count(done)))
    } else if syncs >= LEAST_WRITES {
        Some(format!("the binary log was synced {} times", count(syncs)))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::breakdown::Gaps;

    use super::*;
    use crate::samples::traced_run;

    /// Returns why probes seem silent in a trace, after a change.
    fn silent(change: impl FnOnce(&mut Document)) -> Option<String> {
        let mut document = traced_run();
        document.driver = None;
        document.commits.as_mut().unwrap().count = 0;
        change(&mut document);
        silent_probes(None, &document).map(|caveat| caveat.text)
    }

    #[test]
    fn syncs_of_the_binlog_without_a_commit_are_not_believed() {
        let syncs = |document: &mut Document, count, path: &str| {
            let row = &mut document.files.as_mut().unwrap()[0];
            (row.class, row.op, row.count) = (FileClass::Binlog, IoOp::Fsync, count);
            row.path = path.to_owned();
            document.files.as_mut().unwrap().truncate(1);
        };
        let told = silent(|document| syncs(document, 20, "data/binlog.000001")).unwrap();
        assert!(told.starts_with("the binary log was synced 20 times"), "{told}");
        assert_eq!(silent(|document| syncs(document, 19, "data/binlog.000001")), None);
        assert_eq!(
            silent(|document| syncs(document, 20, "data/host-relay-bin.000001")),
            None
        );
        let with_commits = |document: &mut Document| {
            syncs(document, 20, "data/binlog.000001");
            document.commits.as_mut().unwrap().count = 1;
        };
        assert_eq!(silent(with_commits), None);
        let in_bursts = |document: &mut Document| {
            syncs(document, 20, "data/binlog.000001");
            document.tracer.as_mut().unwrap().gaps = Some(Gaps::default());
        };
        assert_eq!(silent(in_bursts), None);
    }

    #[test]
    fn requests_that_write_without_a_commit_are_not_believed_and_those_that_read_are() {
        let told = |workload: &str, done| {
            let driver = traced_run().driver;
            silent(|document| {
                document.files = Some(Vec::new());
                document.workload.as_mut().unwrap().name = workload.to_owned();
                document.driver = driver;
                document.driver.as_mut().unwrap().done = done;
            })
        };
        assert!(told("update_key", 20).unwrap().starts_with("20 requests"));
        assert_eq!(told("update_key", 19), None);
        assert_eq!(told("point_select", 1_000), None);
    }
}
