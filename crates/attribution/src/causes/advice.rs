//! Meaning of each wait, and remedies other than settings of the server.

use crate::causes::Wait;

impl Wait {
    /// Returns what the wait means, as a sentence without its full stop. The match has no catch-all: a new wait does not
    /// compile without a meaning.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::OnCpu => "Code was running",
            Self::RunQueue => "Other threads of the server had the CPUs",
            Self::DataWriteback => {
                "The file's own pages, or its inode where there is no journal, were being written to the device"
            }
            Self::JournalCommit => "The file system wrote its journal",
            Self::FlushQueue => "Flushes of one device wait for each other",
            Self::DeviceFlush => "The device flushed its write cache",
            Self::DeviceIo => "The device read, or wrote without the page cache",
            Self::FileSystemLock => "Threads waited for locks inside the file system",
            Self::FileServer => {
                "The file is on a network file system (NFS) or one in user space (FUSE), whose server was at work"
            }
            Self::FileMetadata => "Files were opened, created, removed or resized",
            Self::Unclassified => "No rule recognises these kernel stacks, which the report lists",
            Self::FileIo => "The server made system calls that have no file in the trace",
            Self::AsyncIo => "Reads and writes of pages delayed the commits",
            Self::Timer => "The server slept for a set time",
            Self::Client => "The server waited for a socket",
            Self::SemisyncAck => "A replica had to acknowledge the transaction",
            Self::Unexplained => "No record explains this time",
            Self::WakeUp => "The CPU was idle and had to wake up",
            Self::RunQueueLoad => "The load generator had the CPU",
            Self::RunQueueLogtrace => "logtrace itself had the CPU",
            Self::RunQueueKernel => "Threads of the kernel had the CPU: interrupts, writeback, the journal",
            Self::RunQueueProcess => "Another process had the CPU, which the flame graph names",
            Self::Throttled => {
                "The server's cgroup had used up its CPU quota (cpu.max, a container's CPU limit)"
            }
            Self::JournalSpace => {
                "The file system's journal or log was full until older changes reached the device"
            }
            Self::DirtyThrottling => "The kernel held back writers of dirty pages",
            Self::BlockThrottling => "The block layer limited writes (write-back throttling, io.cost)",
            Self::MemoryReclaim => "Memory was short: pages were reclaimed, or the cgroup was at its limit",
            Self::Stopped => {
                "The server was stopped: by a signal (SIGSTOP), a debugger, a checkpoint of its container, or a frozen \
                 cgroup"
            }
            Self::TimedWait => "A wait for an event ran out of time",
            Self::ServerFunction => "No rule recognises the server's function, which the flame graph names",
            Self::RedoCopy => {
                "MySQL waited 100 ms for redo that another transaction was copying, and nothing wakes it"
            }
            Self::RedoFlush => "Another thread wrote or flushed the redo log, for several commits at once",
            Self::RedoWriter => "InnoDB's log threads wrote and flushed the redo log",
            Self::RedoSpace => "The redo log was full until the checkpoint advanced",
            Self::RedoLocked => "The redo log was locked as a whole: a backup, a clone, or a resize",
            Self::LogBufferSpace => "The redo log buffer was full",
            Self::RedoWindow => "A thread that copied redo did not get the CPU",
            Self::GroupLeader => "The leader of the group committed for its members",
            Self::CommitStage => "An earlier group was still in this stage of the commit",
            Self::GroupDelay => "A configured delay: binlog_group_commit_sync_delay, binlog_commit_wait_usec",
            Self::BinlogRotation => "The binary log was rotated",
            Self::CommitOrder => {
                "Commits of a replica wait for the order of the source (replica_preserve_commit_order, slave_parallel_mode)"
            }
            Self::CommitLock => {
                "Another session blocks all commits: FLUSH TABLES WITH READ LOCK, or a backup"
            }
            Self::GtidState => "Threads waited for the state of the GTIDs",
            Self::GroupReplication => "The group had to certify the transaction",
            Self::FlowControl => {
                "Group Replication slowed its writers down (group_replication_flow_control_mode)"
            }
            Self::Galera => "The cluster had to order and certify the transaction",
            Self::QueryLogLock => "Threads wrote the slow or the general log in turn",
            Self::RowLock => "Another transaction held the row",
            Self::AutoIncrementLock => "Inserts waited for the counter of the table",
            Self::MetadataLock => {
                "A long transaction, a change of the table, or (for MySQL's DDL) FLUSH TABLES WITH READ LOCK held the lock"
            }
            Self::GlobalReadLock => {
                "A session held FLUSH TABLES WITH READ LOCK, or a stage of MariaDB's backup"
            }
            Self::BackupLock => "A backup held its lock",
            Self::FlushTables => "FLUSH TABLES waited for tables in use",
            Self::TableLock => "A session held LOCK TABLES, or the engine locks whole tables",
            Self::TableCache => "Tables were opened, or the table cache was locked",
            Self::PageLatch => "Another thread changed the page, or read it from the device",
            Self::FreePage => "The buffer pool had no free page",
            Self::Doublewrite => "Pages went through the doublewrite buffer",
            Self::FileExtension => "A tablespace file was extended or flushed",
            Self::InnodbQueue => "innodb_thread_concurrency limits the threads inside InnoDB",
            Self::PurgeLag => "Changes were delayed for purge (innodb_max_purge_lag)",
            Self::AdaptiveHash => "Threads waited for the adaptive hash index",
            Self::Dictionary => {
                "Threads waited for the data dictionary: tables were opened, changed or analysed"
            }
            Self::UndoLatch => "Threads waited for undo logs",
            Self::LockSystem => "Threads waited for InnoDB's table of locks",
            Self::InnodbLatch => "Threads waited for a latch inside InnoDB",
            Self::InnodbWait => "A row lock, a free page or the checkpoint",
            Self::QueryCache => "Threads waited for the query cache",
            Self::AriaLog => "Threads waited for the log of Aria",
            Self::DiskFull => "The disk was full",
        }
    }

    /// Returns what helps outside of the server's settings, as a part of a sentence; `None` where settings alone govern the
    /// wait.
    pub fn remedy(self) -> Option<&'static str> {
        let remedy = match self {
            Self::OnCpu => "a CPU profile of the server (--detail full) shows which code ran",
            Self::RunQueue => "fewer connections at a time, or more CPUs: the server's own threads had them",
            Self::DataWriteback => "a faster device",
            Self::JournalCommit => "the file system's journal; a log that does not grow needs none",
            Self::FlushQueue => {
                "flushes of one device wait for each other: put the logs on devices of their own"
            }
            Self::DeviceFlush => "a device with power-loss protection has nothing to flush",
            Self::DeviceIo => "a faster device",
            Self::FileSystemLock => "another file system",
            Self::FileServer => {
                "check the server of the network file system, or move the files to a local disk"
            }
            Self::FileMetadata => "the server opened, created, renamed or resized files",
            Self::Unclassified => "no rule knows these kernel stacks, which the report lists",
            Self::FileIo => "calls that began before the trace have no file",
            Self::AsyncIo => "a faster device for the pages",
            Self::Timer => "the flame graph shows the function that slept",
            Self::Client => "check the client and the network",
            Self::SemisyncAck => "check the replica (its sync_relay_log) and the network",
            Self::Unexplained => "logtrace doctor shows which probes are missing",
            Self::WakeUp => {
                "shallower idle states of the CPUs (cpupower idle-set), or a machine that does not halt idle ones"
            }
            Self::RunQueueLoad => "run the load on CPUs of its own (--cpus), or on another machine",
            Self::RunQueueLogtrace => "trace less: --detail commit, or --sample 10%",
            Self::RunQueueKernel => "threads of the kernel had the CPU: spread interrupts, or add CPUs",
            Self::RunQueueProcess => {
                "move the process that the flame graph names, or give the server CPUs of its own"
            }
            Self::Throttled => {
                "a higher CPU quota of the server's control group (cpu.max, the limit of a container)"
            }
            Self::JournalSpace => "a larger journal of the file system, or a faster device",
            Self::DirtyThrottling => "a faster device, or higher limits of the kernel (vm.dirty_bytes)",
            Self::BlockThrottling => {
                "check queue/wbt_lat_usec of the device, and the I/O limits of the control group"
            }
            Self::MemoryReclaim => "more memory for the server, or a smaller buffer pool",
            Self::Stopped => "a signal, a debugger or a frozen control group stopped the server",
            Self::TimedWait => "no function of the server is known for this wait",
            Self::ServerFunction => "the flame graph names the function, which no rule knows",
            Self::RedoFlush => "faster storage for the redo log",
            Self::RedoWriter => "faster storage for the redo log",
            Self::RedoSpace => "faster storage for the pages, so that the checkpoint advances",
            Self::RedoLocked => "end the backup, the clone or the resize that holds the redo log",
            Self::LogBufferSpace => "faster storage for the redo log",
            Self::RedoWindow => "fewer threads at a time, or more CPUs: one that copied redo had none",
            Self::GroupLeader => "what the leader itself waited for is the cause",
            Self::CommitStage => "what the group in front waited for is the cause",
            Self::CommitOrder => "what the worker in front waited for is the cause",
            Self::CommitLock => {
                "end FLUSH TABLES WITH READ LOCK or the backup of the session that blocks commits"
            }
            Self::GtidState => "what the thread that holds the state waited for is the cause",
            Self::GroupReplication => "check the slowest member of the group, and the network",
            Self::FlowControl => "check the member of the group that lags behind",
            Self::Galera => "check the slowest node of the cluster, and the network",
            Self::QueryLogLock => {
                "log fewer statements, and to a file instead of a table (docs/studies/query-log.md)"
            }
            Self::RowLock => "shorter transactions, or fewer changes of the same rows",
            Self::MetadataLock => "end what holds it: a long transaction, DDL, FLUSH TABLES WITH READ LOCK",
            Self::GlobalReadLock => {
                "end FLUSH TABLES WITH READ LOCK or the backup of the session that holds it"
            }
            Self::BackupLock => "check when backups run",
            Self::FlushTables => "end the statements that use the tables",
            Self::TableLock => "end LOCK TABLES; InnoDB locks rows instead of tables",
            Self::PageLatch => "fewer changes of the same pages at a time",
            Self::FreePage => "faster storage for the pages",
            Self::Doublewrite => "faster storage for the pages",
            Self::FileExtension => "faster storage for the pages",
            Self::PurgeLag => "shorter transactions, so that purge can follow",
            Self::Dictionary => "open, change and analyse fewer tables at a time",
            Self::UndoLatch => "more undo tablespaces",
            Self::LockSystem => "fewer locks on the same rows",
            Self::InnodbLatch => "a build of the server with symbols names the latch",
            Self::InnodbWait => "a build with symbols tells a row lock from a free page and the checkpoint",
            Self::AriaLog => "faster storage for the log of Aria",
            Self::DiskFull => "free space on the disk",
            Self::RedoCopy
            | Self::GroupDelay
            | Self::BinlogRotation
            | Self::AutoIncrementLock
            | Self::TableCache
            | Self::InnodbQueue
            | Self::AdaptiveHash
            | Self::QueryCache => return None,
        };
        Some(remedy)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_wait_has_its_own_meaning() {
        let meanings: BTreeSet<&str> = Wait::iter().map(Wait::meaning).collect();
        assert_eq!(meanings.len(), Wait::iter().count());
    }

    #[test]
    fn a_remedy_is_a_part_of_a_sentence() {
        for remedy in Wait::iter().filter_map(Wait::remedy) {
            assert!(
                !remedy.ends_with('.') && remedy.starts_with(char::is_lowercase),
                "{remedy}"
            );
        }
    }
}
