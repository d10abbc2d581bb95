//! Meaning of each wait, and advice.

use crate::causes::cause::Wait;

impl Wait {
    /// Returns what the wait means and what to try, in one sentence without its full stop.
    #[expect(
        clippy::too_many_lines,
        reason = "a match without a catch-all: a new wait does not compile without advice"
    )]
    pub fn advice(self) -> &'static str {
        match self {
            Self::OnCpu => "Code was running; a CPU profile of the server shows which code",
            Self::RunQueue => "Other threads of the server had the CPUs; try fewer connections or more CPUs",
            Self::DataWriteback => {
                "The file's own pages, or its inode where there is no journal, were being written to the device; a faster device \
                 helps"
            }
            Self::JournalCommit => {
                "The file system wrote its journal; another file system, or a separate one for this file, may avoid that"
            }
            Self::FlushQueue => "Flushes of one device wait for each other; put the logs on separate devices",
            Self::DeviceFlush => {
                "The device flushed its write cache; a device with power-loss protection has nothing to flush"
            }
            Self::DeviceIo => "The device read or wrote without the page cache; a faster device helps",
            Self::FileSystemLock => {
                "Threads waited for locks inside the file system; try another file system, or separate file systems for \
                 the files"
            }
            Self::FileServer => {
                "The file is on a network file system (NFS) or one in user space (FUSE), whose server was at work; check \
                 that server and the network, or move the file to a local disk"
            }
            Self::FileMetadata => {
                "Files were opened, created, removed or resized; larger logs (max_binlog_size) rotate less often"
            }
            Self::Unclassified => {
                "No rule recognises these kernel stacks, which the report lists; a new rule would name the cause"
            }
            Self::FileIo => {
                "The server made system calls that have no file in the trace: calls on directories, and calls that began \
                 before the trace"
            }
            Self::AsyncIo => {
                "Reads and writes of pages delayed the commits; check the size of the buffer pool and innodb_io_capacity"
            }
            Self::Timer => "The server slept for a set time; the flame graph shows the function that slept",
            Self::Client => "The server waited for a socket; check the client and the network",
            Self::SemisyncAck => {
                "A replica had to acknowledge the transaction; check the network to the replica, and how it writes its \
                 relay log (sync_relay_log)"
            }
            Self::Unexplained => {
                "No record explains this time; logtrace doctor shows which probes are missing"
            }
            Self::WakeUp => {
                "The CPU was idle and had to wake up; deep idle states (cpupower idle-set) and virtual machines that \
                 halt idle CPUs make this longer"
            }
            Self::RunQueueLoad => {
                "The load generator had the CPU; run it on CPUs of its own, or on another machine"
            }
            Self::RunQueueLogtrace => "logtrace itself had the CPU; trace less (--detail commit, --sample)",
            Self::RunQueueKernel => {
                "Threads of the kernel had the CPU: interrupts, writeback, the journal; spread interrupts over more CPUs"
            }
            Self::RunQueueProcess => {
                "Another process had the CPU, which the flame graph names; move it away, or give the server CPUs of its own"
            }
            Self::Throttled => {
                "The server's cgroup had used up its CPU quota (cpu.max, a container's CPU limit); raise the quota"
            }
            Self::JournalSpace => {
                "The file system's journal or log was full until older changes reached the device; a larger journal or a \
                 faster device helps"
            }
            Self::DirtyThrottling => {
                "The kernel held back writers of dirty pages; a faster device or higher limits (vm.dirty_bytes) help, and \
                 syncing more often"
            }
            Self::BlockThrottling => {
                "The block layer limited writes (write-back throttling, io.cost); check the cgroup's limits and \
                 queue/wbt_lat_usec of the device"
            }
            Self::MemoryReclaim => {
                "Memory was short: pages were reclaimed, or the cgroup was at its limit; give the server more memory, or \
                 it less buffer pool"
            }
            Self::Stopped => {
                "The server was stopped: by a signal (SIGSTOP), a debugger, a checkpoint of its container, or a frozen cgroup"
            }
            Self::TimedWait => "A wait for an event ran out of time; --detail io shows the server's function",
            Self::ServerFunction => {
                "No rule recognises the server's function, which the flame graph names; a new rule would name the cause"
            }
            Self::RedoCopy => {
                "MySQL waited 100 ms for redo that another transaction was copying, and nothing wakes it; SET GLOBAL \
                 innodb_log_writer_threads=ON avoids this (docs/findings/redo-of-another-transaction.md)"
            }
            Self::RedoFlush => {
                "Another thread wrote or flushed the redo log, for several commits at once; faster storage for the redo log helps"
            }
            Self::RedoWriter => {
                "InnoDB's log threads wrote and flushed the redo log; on few CPUs innodb_log_writer_threads=OFF saves wake-ups"
            }
            Self::RedoSpace => {
                "The redo log was full until the checkpoint advanced; raise innodb_redo_log_capacity (innodb_log_file_size) \
                 and innodb_io_capacity"
            }
            Self::RedoLocked => "The redo log was locked as a whole: a backup, a clone, or a resize",
            Self::LogBufferSpace => "The redo log buffer was full; raise innodb_log_buffer_size",
            Self::RedoWindow => {
                "A thread that copied redo did not get the CPU; use fewer threads or more CPUs"
            }
            Self::GroupLeader => {
                "The leader of the group committed for its members; the leader's own waits are the cause"
            }
            Self::CommitStage => {
                "An earlier group was still in this stage of the commit; what that group waited for is the cause"
            }
            Self::GroupDelay => "A configured delay: binlog_group_commit_sync_delay, binlog_commit_wait_usec",
            Self::BinlogRotation => "The binary log was rotated; a larger max_binlog_size rotates less often",
            Self::CommitOrder => {
                "Commits of a replica wait for the order of the source (replica_preserve_commit_order, slave_parallel_mode)"
            }
            Self::CommitLock => {
                "Another session blocks all commits: FLUSH TABLES WITH READ LOCK, or a backup"
            }
            Self::GtidState => "Threads waited for the state of the GTIDs",
            Self::GroupReplication => {
                "The group had to certify the transaction; check the slowest member and the network"
            }
            Self::FlowControl => {
                "Group Replication slowed its writers down (group_replication_flow_control_mode)"
            }
            Self::Galera => {
                "The cluster had to order and certify the transaction; check the slowest node and wsrep_flow_control_paused"
            }
            Self::QueryLogLock => {
                "Threads wrote the slow or the general log in turn; log less, or to a faster file system"
            }
            Self::RowLock => {
                "Another transaction held the row; shorter transactions, or fewer changes of the same rows, help"
            }
            Self::AutoIncrementLock => {
                "Inserts waited for the counter of the table; innodb_autoinc_lock_mode=2 needs no lock"
            }
            Self::MetadataLock => {
                "A change of the table, or a long transaction, held its metadata lock; find the session in \
                 performance_schema.metadata_locks"
            }
            Self::GlobalReadLock => "A session held FLUSH TABLES WITH READ LOCK",
            Self::BackupLock => "A backup held its lock; check when backups run",
            Self::FlushTables => "FLUSH TABLES waited for tables in use",
            Self::TableLock => {
                "A session held LOCK TABLES, or the engine locks whole tables; InnoDB locks rows"
            }
            Self::TableCache => {
                "Tables were opened, or the table cache was locked; raise table_open_cache and its instances"
            }
            Self::PageLatch => {
                "Another thread changed the page, or read it from the device; check the buffer pool's size, and hot pages"
            }
            Self::FreePage => {
                "The buffer pool had no free page; raise innodb_buffer_pool_size, innodb_lru_scan_depth or innodb_io_capacity"
            }
            Self::Doublewrite => {
                "Pages went through the doublewrite buffer; raise innodb_doublewrite_pages, or use faster storage"
            }
            Self::FileExtension => {
                "A tablespace file was extended or flushed; raise innodb_autoextend_increment"
            }
            Self::InnodbQueue => {
                "innodb_thread_concurrency limits the threads inside InnoDB; 0 removes the limit"
            }
            Self::PurgeLag => "Changes were delayed for purge (innodb_max_purge_lag)",
            Self::AdaptiveHash => {
                "Threads waited for the adaptive hash index; innodb_adaptive_hash_index=OFF removes it"
            }
            Self::Dictionary => {
                "Threads waited for the data dictionary: tables were opened, changed or analysed"
            }
            Self::UndoLatch => "Threads waited for undo logs; more undo tablespaces help",
            Self::LockSystem => {
                "Threads waited for InnoDB's table of locks; fewer locks on the same rows help"
            }
            Self::InnodbLatch => "Threads waited for a latch inside InnoDB; a build with symbols names it",
            Self::InnodbWait => {
                "A row lock, a free page or the checkpoint; a build with symbols, and SHOW ENGINE INNODB STATUS, tell which"
            }
            Self::QueryCache => "Threads waited for the query cache; query_cache_type=0 removes it",
            Self::AriaLog => "Threads waited for the log of Aria",
            Self::DiskFull => "The disk was full; free space",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_wait_has_its_own_advice() {
        let advice: BTreeSet<&str> = Wait::iter().map(Wait::advice).collect();
        assert_eq!(advice.len(), Wait::iter().count());
    }
}
