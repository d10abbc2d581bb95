//! Wait or work of a thread that a commit waited for.

use logtrace_common::UnknownName;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::causes::names_schema::stored_by_name;

/// Wait or work of the thread that a commit waited for.
#[derive(
    Clone,
    Copy,
    Debug,
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
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_wait)]
pub enum Wait {
    /// Running: server code, or kernel code inside an I/O system call.
    #[strum(serialize = "on CPU")]
    OnCpu,
    /// Runnable while another thread of the server had the CPU.
    #[strum(serialize = "run queue")]
    RunQueue,
    /// Runnable on an idle CPU that had to wake up: it left idle, took the interrupt, or was halted by the hypervisor.
    #[strum(serialize = "wake-up")]
    WakeUp,
    /// Runnable while logtrace's load generator had the CPU.
    #[strum(serialize = "run queue: load generator")]
    RunQueueLoad,
    /// Runnable while another thread of logtrace had the CPU.
    #[strum(serialize = "run queue: logtrace")]
    RunQueueLogtrace,
    /// Runnable while a thread of the kernel had the CPU.
    #[strum(serialize = "run queue: kernel")]
    RunQueueKernel,
    /// Runnable while another process had the CPU.
    #[strum(serialize = "run queue: other process")]
    RunQueueProcess,
    /// Runnable while the server's cgroup had used up its CPU quota.
    #[strum(serialize = "throttled")]
    Throttled,
    /// Dirty pages of the file on their way to the device.
    #[strum(serialize = "data writeback")]
    DataWriteback,
    /// Commit of the file system's journal or log (jbd2, xfs log force, btrfs tree log or transaction, ZFS
    /// intent log or transaction group).
    #[strum(serialize = "journal commit")]
    JournalCommit,
    /// Another flush of the device that was already under way.
    #[strum(serialize = "flush queue")]
    FlushQueue,
    /// Flush of the device's write cache.
    #[strum(serialize = "device flush")]
    DeviceFlush,
    /// Read by the device, or write without the page cache (`O_DIRECT`).
    #[strum(serialize = "device I/O")]
    DeviceIo,
    /// Lock of the file system: inode, page, range of a file, journal handle.
    #[strum(serialize = "file system lock")]
    FileSystemLock,
    /// Server of a network file system (NFS), or the process behind one in user space (FUSE).
    #[strum(serialize = "file server")]
    FileServer,
    /// Space in the file system's journal or log, which writes that came before have to free.
    #[strum(serialize = "journal space")]
    JournalSpace,
    /// Limit on dirty pages: the kernel holds back whoever writes faster than the device.
    #[strum(serialize = "dirty throttling")]
    DirtyThrottling,
    /// Limit of the block layer: write-back throttling, or the cost limit of a cgroup.
    #[strum(serialize = "block throttling")]
    BlockThrottling,
    /// Memory: reclaim of pages, or a limit of the cgroup.
    #[strum(serialize = "memory reclaim")]
    MemoryReclaim,
    /// Signal, debugger or frozen cgroup that stopped the server.
    #[strum(serialize = "stopped")]
    Stopped,
    /// System call that opens, creates, renames, removes or resizes a file: a log that rotates or grows.
    #[strum(serialize = "file metadata")]
    FileMetadata,
    /// Block inside an I/O system call with a kernel stack that no rule recognises.
    #[strum(serialize = "unclassified")]
    Unclassified,
    /// I/O system call on a file that was not traced, as at the lowest level of detail.
    #[strum(serialize = "file I/O")]
    FileIo,
    /// Asynchronous I/O that a thread submitted or collected (`io_submit`, `io_getevents`, `io_uring_enter`).
    #[strum(serialize = "async I/O")]
    AsyncIo,
    /// Sleep for a set time: a configured delay, or a pause between two checks.
    #[strum(serialize = "timer")]
    Timer,
    /// Wait for an event until the time ran out. The server's function is not known.
    #[strum(serialize = "timed wait")]
    TimedWait,
    /// Long wait in a function of the server that no rule recognises. Its name is below the cause.
    #[strum(serialize = "server function")]
    ServerFunction,
    /// Redo that another transaction had reserved and not yet copied to the log buffer.
    #[strum(serialize = "redo of another transaction")]
    RedoCopy,
    /// Redo log that another thread was flushing or writing.
    #[strum(serialize = "redo flush by another thread")]
    RedoFlush,
    /// Redo log that the server's log threads were writing and flushing.
    #[strum(serialize = "redo writer thread")]
    RedoWriter,
    /// Free space in the redo log: the checkpoint had to advance.
    #[strum(serialize = "redo space")]
    RedoSpace,
    /// Redo log that another thread held as a whole: log status, clone, resize.
    #[strum(serialize = "redo locked")]
    RedoLocked,
    /// Free space in the redo log buffer.
    #[strum(serialize = "log buffer space")]
    LogBufferSpace,
    /// Other threads that were copying redo or adding dirty pages: a window of them was full.
    #[strum(serialize = "redo concurrency window")]
    RedoWindow,
    /// Leader of the commit's group, which committed for all its members.
    #[strum(serialize = "group leader")]
    GroupLeader,
    /// Stage of the group commit that an earlier group had not left.
    #[strum(serialize = "commit stage")]
    CommitStage,
    /// Configured delay of the group commit.
    #[strum(serialize = "group commit delay")]
    GroupDelay,
    /// Rotation of the binary log, which waits for prepared transactions or for the engines' checkpoint.
    #[strum(serialize = "binlog rotation")]
    BinlogRotation,
    /// Order of commits on a replica.
    #[strum(serialize = "commit order")]
    CommitOrder,
    /// Lock that blocks commits: FLUSH TABLES WITH READ LOCK, or a backup.
    #[strum(serialize = "commit lock")]
    CommitLock,
    /// State of the GTIDs.
    #[strum(serialize = "GTID state")]
    GtidState,
    /// Certification and order of the transaction in Group Replication.
    #[strum(serialize = "group replication")]
    GroupReplication,
    /// Flow control of Group Replication.
    #[strum(serialize = "flow control")]
    FlowControl,
    /// Replication, certification and order of the transaction in Galera.
    #[strum(serialize = "Galera replication")]
    Galera,
    /// Lock of the slow or the general log.
    #[strum(serialize = "query log lock")]
    QueryLogLock,
    /// Row lock of another transaction.
    #[strum(serialize = "row lock")]
    RowLock,
    /// Lock of a table's AUTO_INCREMENT counter.
    #[strum(serialize = "auto-increment lock")]
    AutoIncrementLock,
    /// Metadata lock of a table.
    #[strum(serialize = "metadata lock")]
    MetadataLock,
    /// Global read lock of another session.
    #[strum(serialize = "global read lock")]
    GlobalReadLock,
    /// Backup lock of another session.
    #[strum(serialize = "backup lock")]
    BackupLock,
    /// Tables that FLUSH TABLES waits for.
    #[strum(serialize = "flush tables")]
    FlushTables,
    /// Lock of a whole table: LOCK TABLES, or an engine without row locks.
    #[strum(serialize = "table lock")]
    TableLock,
    /// Table cache: a table is being opened, or the cache is locked.
    #[strum(serialize = "table cache")]
    TableCache,
    /// Latch of a page that another thread changes or reads from the device.
    #[strum(serialize = "page latch")]
    PageLatch,
    /// Free page of the buffer pool.
    #[strum(serialize = "free page")]
    FreePage,
    /// Doublewrite buffer.
    #[strum(serialize = "doublewrite buffer")]
    Doublewrite,
    /// Tablespace file that another thread extends or flushes.
    #[strum(serialize = "file extension")]
    FileExtension,
    /// Slot of innodb_thread_concurrency.
    #[strum(serialize = "InnoDB concurrency")]
    InnodbQueue,
    /// Delay for purge that lags behind.
    #[strum(serialize = "purge lag")]
    PurgeLag,
    /// Latch of the adaptive hash index.
    #[strum(serialize = "adaptive hash index")]
    AdaptiveHash,
    /// Latch of InnoDB's data dictionary.
    #[strum(serialize = "data dictionary")]
    Dictionary,
    /// Latch of an undo log or rollback segment.
    #[strum(serialize = "undo segment")]
    UndoLatch,
    /// Latch of InnoDB's lock system.
    #[strum(serialize = "lock system")]
    LockSystem,
    /// Latch of InnoDB that the server's symbols do not name.
    #[strum(serialize = "InnoDB latch")]
    InnodbLatch,
    /// Row lock, free page or checkpoint: the server's symbols do not tell them apart.
    #[strum(serialize = "InnoDB wait")]
    InnodbWait,
    /// Query cache.
    #[strum(serialize = "query cache")]
    QueryCache,
    /// Log of the Aria engine.
    #[strum(serialize = "Aria log")]
    AriaLog,
    /// Free space on a full disk.
    #[strum(serialize = "disk full")]
    DiskFull,
    /// Socket of the client.
    #[strum(serialize = "client")]
    Client,
    /// Acknowledgement of the transaction by a replica (semi-synchronous replication).
    #[strum(serialize = "semisync ACK")]
    SemisyncAck,
    /// Time that no record explains.
    #[strum(serialize = "unexplained")]
    Unexplained,
}

/// Holder of what a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeldBy {
    /// Tasks that have the CPUs.
    OtherTasks,
    /// Another session, until its transaction or statement ends.
    Session,
    /// Devices, other threads, time or the peer; or the thread itself, which runs.
    Others,
}

impl Wait {
    /// Returns whether the thread could have run, and waited for a CPU.
    pub fn is_for_cpu(self) -> bool {
        self.held_by() == HeldBy::OtherTasks
    }

    /// Returns whether another session holds what the thread waited for, until its transaction or statement ends.
    pub fn is_lock(self) -> bool {
        self.held_by() == HeldBy::Session
    }

    /// Returns who holds what the thread waited for. The match has no catch-all, so that a new wait does not compile before
    /// this is decided.
    fn held_by(self) -> HeldBy {
        match self {
            Self::RunQueue
            | Self::WakeUp
            | Self::RunQueueLoad
            | Self::RunQueueLogtrace
            | Self::RunQueueKernel
            | Self::RunQueueProcess
            | Self::Throttled => HeldBy::OtherTasks,
            Self::CommitLock
            | Self::RowLock
            | Self::AutoIncrementLock
            | Self::MetadataLock
            | Self::GlobalReadLock
            | Self::BackupLock
            | Self::FlushTables
            | Self::TableLock => HeldBy::Session,
            Self::OnCpu
            | Self::DataWriteback
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
            | Self::Stopped
            | Self::FileMetadata
            | Self::Unclassified
            | Self::FileIo
            | Self::AsyncIo
            | Self::Timer
            | Self::TimedWait
            | Self::ServerFunction
            | Self::RedoCopy
            | Self::RedoFlush
            | Self::RedoWriter
            | Self::RedoSpace
            | Self::RedoLocked
            | Self::LogBufferSpace
            | Self::RedoWindow
            | Self::GroupLeader
            | Self::CommitStage
            | Self::GroupDelay
            | Self::BinlogRotation
            | Self::CommitOrder
            | Self::GtidState
            | Self::GroupReplication
            | Self::FlowControl
            | Self::Galera
            | Self::QueryLogLock
            | Self::TableCache
            | Self::PageLatch
            | Self::FreePage
            | Self::Doublewrite
            | Self::FileExtension
            | Self::InnodbQueue
            | Self::PurgeLag
            | Self::AdaptiveHash
            | Self::Dictionary
            | Self::UndoLatch
            | Self::LockSystem
            | Self::InnodbLatch
            | Self::InnodbWait
            | Self::QueryCache
            | Self::AriaLog
            | Self::DiskFull
            | Self::Client
            | Self::SemisyncAck
            | Self::Unexplained => HeldBy::Others,
        }
    }
}

impl TryFrom<String> for Wait {
    type Error = UnknownName;

    fn try_from(name: String) -> Result<Self, UnknownName> {
        name.parse()
    }
}

stored_by_name!(Wait);

fn unknown_wait(name: &str) -> UnknownName {
    UnknownName::new("wait", name, Wait::VARIANTS)
}
