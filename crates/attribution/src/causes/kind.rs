//! Kind of each wait: what a reader would have to change.

use logtrace_common::UnknownName;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::causes::names_schema::stored_by_name;
use crate::causes::wait::Wait;

/// Kind of a wait.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(into = "&'static str", try_from = "String")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_kind)]
pub enum WaitKind {
    /// Files, file systems and devices, and memory that is freed by writing.
    #[strum(serialize = "storage")]
    Storage,
    /// Code that ran.
    #[strum(serialize = "CPU")]
    Cpu,
    /// Threads that could have run and had no CPU.
    #[strum(serialize = "scheduling")]
    Scheduling,
    /// Locks and latches, and work of other transactions.
    #[strum(serialize = "other transactions")]
    Transactions,
    /// Replicas and other members of a cluster.
    #[strum(serialize = "replication")]
    Replication,
    /// Time that no record explains.
    #[default]
    #[strum(serialize = "unexplained")]
    Unexplained,
}

impl Wait {
    /// Returns the kind. A wait for a log or a free page that another thread writes is storage; one that only another
    /// thread's progress ends, such as a function of the server without a rule or a pause before a lock is tried again, is of
    /// other transactions.
    pub fn kind(self) -> WaitKind {
        match self {
            Self::OnCpu => WaitKind::Cpu,
            Self::RunQueue
            | Self::WakeUp
            | Self::RunQueueLoad
            | Self::RunQueueLogtrace
            | Self::RunQueueKernel
            | Self::RunQueueProcess
            | Self::Throttled
            | Self::Stopped => WaitKind::Scheduling,
            Self::DataWriteback
            | Self::JournalCommit
            | Self::FlushQueue
            | Self::DeviceFlush
            | Self::DeviceIo
            | Self::FileSystemLock
            | Self::FileServer
            | Self::JournalSpace
            | Self::DirtyThrottling
            | Self::BlockThrottling
            | Self::MemoryReclaim
            | Self::FileMetadata
            | Self::Unclassified
            | Self::FileIo
            | Self::AsyncIo
            | Self::RedoFlush
            | Self::RedoWriter
            | Self::RedoSpace
            | Self::LogBufferSpace
            | Self::FreePage
            | Self::Doublewrite
            | Self::FileExtension
            | Self::AriaLog
            | Self::DiskFull => WaitKind::Storage,
            Self::Timer
            | Self::TimedWait
            | Self::ServerFunction
            | Self::RedoCopy
            | Self::RedoLocked
            | Self::RedoWindow
            | Self::GroupLeader
            | Self::CommitStage
            | Self::GroupDelay
            | Self::BinlogRotation
            | Self::CommitLock
            | Self::GtidState
            | Self::QueryLogLock
            | Self::RowLock
            | Self::AutoIncrementLock
            | Self::MetadataLock
            | Self::GlobalReadLock
            | Self::BackupLock
            | Self::FlushTables
            | Self::TableLock
            | Self::TableCache
            | Self::PageLatch
            | Self::InnodbQueue
            | Self::PurgeLag
            | Self::AdaptiveHash
            | Self::Dictionary
            | Self::UndoLatch
            | Self::LockSystem
            | Self::InnodbLatch
            | Self::InnodbWait
            | Self::QueryCache
            | Self::Client => WaitKind::Transactions,
            Self::CommitOrder
            | Self::GroupReplication
            | Self::FlowControl
            | Self::Galera
            | Self::SemisyncAck => WaitKind::Replication,
            Self::Unexplained => WaitKind::Unexplained,
        }
    }
}

impl TryFrom<String> for WaitKind {
    type Error = UnknownName;

    fn try_from(name: String) -> Result<Self, UnknownName> {
        name.parse()
    }
}

stored_by_name!(WaitKind);

fn unknown_kind(name: &str) -> UnknownName {
    UnknownName::new("kind of wait", name, WaitKind::VARIANTS)
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn a_wait_for_a_cpu_is_scheduling_and_a_lock_of_a_session_is_of_other_transactions() {
        for wait in Wait::iter() {
            assert!(
                !wait.is_for_cpu() || wait.kind() == WaitKind::Scheduling,
                "{wait}"
            );
            assert!(!wait.is_lock() || wait.kind() == WaitKind::Transactions, "{wait}");
            assert_eq!(wait.kind() == WaitKind::Unexplained, wait == Wait::Unexplained);
        }
    }

    #[test]
    fn each_kind_has_a_wait() {
        for kind in WaitKind::iter() {
            assert!(Wait::iter().any(|wait| wait.kind() == kind), "{kind}");
        }
    }
}
