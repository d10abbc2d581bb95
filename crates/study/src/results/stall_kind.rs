//! Kind of a stall: the main reason why the server made no progress.

use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;

/// Smallest share of the waiting time that explains a stall.
const HALF: f64 = 0.5;

/// Kind of at least half of the waiting time in a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
pub enum StallKind {
    /// The binary log was full and the server began the next one. All of the old one had to be durable first.
    #[strum(serialize = "the binary log rotated")]
    BinlogRotation,
    /// The server synced the binary log, for a group of commits or because of a rotation.
    #[strum(serialize = "the binary log was synced")]
    BinlogSync,
    /// The server wrote the binary log, and the file system made the writer wait.
    #[strum(serialize = "the binary log could not be written faster")]
    BinlogWrite,
    /// The server wrote or synced the redo log.
    #[strum(serialize = "the redo log was written")]
    Redo,
    /// The server wrote or synced pages of tables: a checkpoint, or a full buffer pool.
    #[strum(serialize = "pages were flushed")]
    Pages,
    /// The server wrote the slow or the general log.
    #[strum(serialize = "a query log was written")]
    QueryLog,
    /// Threads ran, or waited for a CPU.
    #[strum(serialize = "threads computed or waited for a CPU")]
    Cpu,
    /// Threads waited for a client or a replica.
    #[strum(serialize = "threads waited for a client or a replica")]
    Peer,
}

impl StallKind {
    /// Returns the kind of a stall from its causes, in nanoseconds of waiting commits, or `None` if no kind has half of them.
    ///
    /// `sync_binlog` is the variable of the server. If it is 0, only a rotation syncs the binary log
    /// (`MYSQL_BIN_LOG::new_file_impl` closes the old one).
    pub(crate) fn of(causes: &[(Cause, u64)], sync_binlog: Option<u64>) -> Option<Self> {
        let (mut totals, mut all) = (BTreeMap::<Self, u64>::new(), 0);
        for &(cause, total) in causes {
            all += total;
            if let Some(kind) = Self::of_cause(cause, sync_binlog) {
                *totals.entry(kind).or_default() += total;
            }
        }
        let largest = totals.into_iter().max_by_key(|&(_, total)| total)?;
        (largest.1 > 0 && largest.1 as f64 >= HALF * all as f64).then_some(largest.0)
    }

    fn of_cause(cause: Cause, sync_binlog: Option<u64>) -> Option<Self> {
        let Some((class, op)) = cause.io else {
            return Self::of_wait(cause.wait);
        };
        match class {
            // A thread that sends the log to a replica, or a session that lists it.
            FileClass::Binlog if op == IoOp::Read => None,
            FileClass::Binlog if op == IoOp::Write => Some(Self::BinlogWrite),
            FileClass::Binlog if sync_binlog == Some(0) => Some(Self::BinlogRotation),
            FileClass::Binlog => Some(Self::BinlogSync),
            FileClass::Redo => Some(Self::Redo),
            FileClass::Data | FileClass::Doublewrite | FileClass::Undo => Some(Self::Pages),
            FileClass::SlowLog | FileClass::GeneralLog => Some(Self::QueryLog),
            FileClass::Temporary | FileClass::Other => None,
        }
    }

    /// Returns the kind of a wait outside of files. The match has no catch-all, so that a new wait does not compile without a
    /// kind.
    fn of_wait(wait: Wait) -> Option<Self> {
        match wait {
            Wait::OnCpu
            | Wait::RunQueue
            | Wait::WakeUp
            | Wait::RunQueueLoad
            | Wait::RunQueueLogtrace
            | Wait::RunQueueKernel
            | Wait::RunQueueProcess
            | Wait::Throttled => Some(Self::Cpu),
            Wait::Client | Wait::SemisyncAck => Some(Self::Peer),
            Wait::RedoSpace => Some(Self::Redo),
            Wait::BinlogRotation => Some(Self::BinlogRotation),
            Wait::FreePage | Wait::PageLatch | Wait::Doublewrite => Some(Self::Pages),
            Wait::DataWriteback
            | Wait::JournalCommit
            | Wait::FlushQueue
            | Wait::DeviceFlush
            | Wait::DeviceIo
            | Wait::FileSystemLock
            | Wait::FileServer
            | Wait::JournalSpace
            | Wait::DirtyThrottling
            | Wait::BlockThrottling
            | Wait::MemoryReclaim
            | Wait::Stopped
            | Wait::FileMetadata
            | Wait::Unclassified
            | Wait::FileIo
            | Wait::AsyncIo
            | Wait::Timer
            | Wait::TimedWait
            | Wait::ServerFunction
            | Wait::RedoCopy
            | Wait::RedoFlush
            | Wait::RedoWriter
            | Wait::RedoLocked
            | Wait::LogBufferSpace
            | Wait::RedoWindow
            | Wait::GroupLeader
            | Wait::CommitStage
            | Wait::GroupDelay
            | Wait::CommitOrder
            | Wait::CommitLock
            | Wait::GtidState
            | Wait::GroupReplication
            | Wait::FlowControl
            | Wait::Galera
            | Wait::QueryLogLock
            | Wait::RowLock
            | Wait::AutoIncrementLock
            | Wait::MetadataLock
            | Wait::GlobalReadLock
            | Wait::BackupLock
            | Wait::FlushTables
            | Wait::TableLock
            | Wait::TableCache
            | Wait::FileExtension
            | Wait::InnodbQueue
            | Wait::PurgeLag
            | Wait::AdaptiveHash
            | Wait::Dictionary
            | Wait::UndoLatch
            | Wait::LockSystem
            | Wait::InnodbLatch
            | Wait::InnodbWait
            | Wait::QueryCache
            | Wait::AriaLog
            | Wait::DiskFull
            | Wait::Unexplained => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Who;
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
    fn sync_with_sync_binlog_0_is_a_rotation() {
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
    fn less_than_half_of_the_waiting_has_no_kind() {
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
        fn kind_has_at_least_half_of_the_waiting(parts in proptest::collection::vec((0usize..4, 0u64..1000), 0..8)) {
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
