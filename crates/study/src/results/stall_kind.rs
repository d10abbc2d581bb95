//! What held the server up in a stall, in one word.

use std::collections::BTreeMap;

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::cause::{Cause, Wait};
use serde::Serialize;

/// A cause with a smaller share of all waiting does not explain a stall by itself.
const MOST: f64 = 0.5;

/// What most of the waiting in a stall was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StallKind {
    /// The binary log was full and the next one was begun: all of it had to be durable first.
    BinlogRotation,
    /// The binary log was synced, for a group of commits or because it rotated.
    BinlogSync,
    /// The binary log was written: the file system made the writer wait.
    BinlogWrite,
    /// The redo log was written or synced.
    Redo,
    /// Pages of tables were written or synced: a checkpoint, or room in the buffer pool.
    Pages,
    /// A slow or general log was written.
    QueryLog,
    /// There was no CPU, or the server computed.
    Cpu,
    /// A client, or a replica.
    Peer,
}

impl StallKind {
    /// Of what commits waited for: nanoseconds of each cause. `sync_binlog` is the server's: where it is 0, nothing but a
    /// rotation syncs the binary log (`MYSQL_BIN_LOG::new_file_impl` closes the old one). `None` where no kind has half of it.
    pub(crate) fn of(causes: &[(Cause, u64)], sync_binlog: Option<u64>) -> Option<Self> {
        let (mut totals, mut all) = (BTreeMap::<Self, u64>::new(), 0);
        for &(cause, total) in causes {
            all += total;
            if let Some(kind) = Self::of_cause(cause, sync_binlog) {
                *totals.entry(kind).or_default() += total;
            }
        }
        let largest = totals.into_iter().max_by_key(|&(_, total)| total)?;
        (largest.1 > 0 && largest.1 as f64 >= MOST * all as f64).then_some(largest.0)
    }

    fn of_cause(cause: Cause, sync_binlog: Option<u64>) -> Option<Self> {
        let Some((class, op)) = cause.io else {
            return match cause.wait {
                Wait::OnCpu | Wait::RunQueue => Some(Self::Cpu),
                Wait::Client | Wait::SemisyncAck => Some(Self::Peer),
                _ => None,
            };
        };
        match class {
            FileClass::Binlog if cause.wait == Wait::FileMetadata => Some(Self::BinlogRotation),
            FileClass::Binlog if op == IoOp::Write => Some(Self::BinlogWrite),
            FileClass::Binlog if sync_binlog == Some(0) => Some(Self::BinlogRotation),
            FileClass::Binlog => Some(Self::BinlogSync),
            FileClass::Redo => Some(Self::Redo),
            FileClass::Data | FileClass::Doublewrite | FileClass::Undo => Some(Self::Pages),
            FileClass::SlowLog | FileClass::GeneralLog => Some(Self::QueryLog),
            FileClass::Temporary | FileClass::Other => None,
        }
    }

    /// The words used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BinlogRotation => "the binary log rotated",
            Self::BinlogSync => "the binary log was synced",
            Self::BinlogWrite => "the binary log could not be written faster",
            Self::Redo => "the redo log",
            Self::Pages => "pages were flushed",
            Self::QueryLog => "a query log",
            Self::Cpu => "no CPU was free",
            Self::Peer => "a client or a replica",
        }
    }
}

#[cfg(test)]
mod tests {
    use logtrace_report::cause::Who;
    use proptest::prelude::*;

    use super::*;

    fn cause(io: Option<(FileClass, IoOp)>, wait: Wait) -> Cause {
        Cause {
            who: Who::Leader,
            io,
            wait,
        }
    }

    const SYNC: Option<(FileClass, IoOp)> = Some((FileClass::Binlog, IoOp::Fsync));

    #[test]
    fn a_sync_that_no_commit_asks_for_is_the_rotations() {
        let causes = [
            (cause(SYNC, Wait::DataWriteback), 60),
            (cause(SYNC, Wait::OnCpu), 10),
            (cause(None, Wait::RunQueue), 30),
        ];
        let of = |sync_binlog| StallKind::of(&causes, sync_binlog);
        assert_eq!(of(Some(0)), Some(StallKind::BinlogRotation));
        assert_eq!(of(Some(1000)), Some(StallKind::BinlogSync));
        assert_eq!(of(None), Some(StallKind::BinlogSync));
    }

    #[test]
    fn what_has_no_half_of_the_waiting_names_nothing() {
        let causes = [
            (cause(SYNC, Wait::DataWriteback), 49),
            (cause(None, Wait::Unexplained), 51),
        ];
        assert_eq!(StallKind::of(&causes, Some(0)), None);
        assert_eq!(StallKind::of(&[], Some(0)), None);
        assert_eq!(
            StallKind::of(&[(cause(SYNC, Wait::OnCpu), 0)], Some(0)),
            None,
            "nothing was waited for"
        );
    }

    proptest! {
        #[test]
        fn the_kind_is_that_of_at_least_half(parts in proptest::collection::vec((0usize..4, 0u64..1000), 0..8)) {
            let known = [
                cause(SYNC, Wait::JournalCommit),
                cause(Some((FileClass::Redo, IoOp::Fsync)), Wait::DeviceFlush),
                cause(Some((FileClass::Data, IoOp::Write)), Wait::DeviceIo),
                Cause::UNEXPLAINED,
            ];
            let causes: Vec<_> = parts.iter().map(|&(at, total)| (known[at], total)).collect();
            let all: u64 = parts.iter().map(|part| part.1).sum();
            if let Some(kind) = StallKind::of(&causes, Some(1)) {
                let its = causes.iter().filter(|(cause, _)| StallKind::of_cause(*cause, Some(1)) == Some(kind));
                prop_assert!(2 * its.map(|(_, total)| total).sum::<u64>() >= all && all > 0);
            }
        }
    }
}
