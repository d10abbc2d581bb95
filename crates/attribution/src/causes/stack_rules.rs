//! Rules for kernel stacks at blocks inside I/O system calls: a table of kernel functions and their waits.
//!
//! A stack is read from the innermost frame outwards, and the first frame in the table decides: the function nearest to the
//! block shows what the thread waits for, its callers only why. A sleep for a full device queue (`blk_mq_get_tag`,
//! `wbt_wait`) has no row on purpose: the thread waits for the request that its caller was submitting, and the caller's
//! row is found further out. Reclaim of memory decides from any frame: a thread that reclaims waits for others' pages and
//! locks, which have nothing to do with what it needed the memory for. Functions that all file systems share decide only in
//! stacks of ext4, XFS and Btrfs, which real stacks verify: elsewhere the same wait may be for a network. tests/data/stacks
//! holds real stacks of kernels with their waits. Only the rows of ZFS come from its sources alone.

use crate::causes::Wait;

/// Function of the kernel and the wait of a thread that blocks in it.
struct StackRule {
    function: &'static str,
    /// Caller that must be further out, for a function with different waits.
    under: Option<&'static str>,
    /// Whether file systems share the function, so that it decides only in stacks of a verified one.
    is_shared: bool,
    wait: Wait,
}

/// Returns the wait of a block with these frames (innermost first), or `None` if no rule matches.
pub(crate) fn wait_of(frames: &[String]) -> Option<Wait> {
    let names: Vec<&str> = frames.iter().map(|frame| plain_name(frame)).collect();
    let is_verified = names.iter().any(|name| is_of_verified_file_system(name));
    let holds = |rule: &StackRule| is_verified || !rule.is_shared;
    let waits = (0..names.len()).filter_map(|at| {
        rule_at(names[at], &names[at + 1..])
            .filter(|rule| holds(rule))
            .map(|rule| rule.wait)
    });
    let reclaim = waits.clone().find(|wait| *wait == MemoryReclaim);
    reclaim.or_else(|| waits.clone().next())
}

fn rule_at(function: &str, callers: &[&str]) -> Option<&'static StackRule> {
    RULES
        .iter()
        .find(|rule| rule.function == function && rule.under.is_none_or(|under| callers.contains(&under)))
}

fn is_of_verified_file_system(function: &str) -> bool {
    let verified = ["ext4_", "jbd2_", "xfs_", "xlog_", "btrfs_"];
    let name = function.trim_start_matches('_');
    verified.iter().any(|prefix| name.starts_with(prefix))
}

/// Removes the suffixes of compiler-made copies: `.constprop.0`, `.isra.0`, `.part.0`, `.cold`.
fn plain_name(frame: &str) -> &str {
    frame.split_once('.').map_or(frame, |(name, _)| name)
}

const fn rule(function: &'static str, wait: Wait) -> StackRule {
    StackRule {
        function,
        under: None,
        is_shared: false,
        wait,
    }
}

const fn shared(function: &'static str, wait: Wait) -> StackRule {
    StackRule {
        is_shared: true,
        ..rule(function, wait)
    }
}

const fn rule_under(function: &'static str, under: &'static str, wait: Wait) -> StackRule {
    StackRule {
        under: Some(under),
        ..rule(function, wait)
    }
}

use Wait::{
    BlockThrottling, DataWriteback, DeviceFlush, DeviceIo, DirtyThrottling, FileServer, FileSystemLock,
    JournalCommit, JournalSpace, MemoryReclaim, Stopped,
};

#[rustfmt::skip]
const RULES: &[StackRule] = &[
    // Stopped on the way back to user space. kernel/signal.c, kernel/freezer.c
    rule("do_signal_stop", Stopped),
    rule("ptrace_stop", Stopped),
    rule("do_freezer_trap", Stopped),
    rule("get_signal", Stopped),
    rule("__refrigerator", Stopped),
    // Memory: reclaim, and the limits of a cgroup. mm/vmscan.c, mm/memcontrol.c
    rule("reclaim_throttle", MemoryReclaim),
    rule("shrink_node", MemoryReclaim),
    rule("shrink_lruvec", MemoryReclaim),
    rule("do_try_to_free_pages", MemoryReclaim),
    rule("try_to_free_pages", MemoryReclaim),
    rule("try_to_free_mem_cgroup_pages", MemoryReclaim),
    rule("mem_cgroup_handle_over_high", MemoryReclaim),
    rule("__mem_cgroup_handle_over_high", MemoryReclaim),
    rule("mem_cgroup_oom_synchronize", MemoryReclaim),
    rule("__alloc_pages_direct_reclaim", MemoryReclaim),
    rule("mempool_alloc", MemoryReclaim),
    // Limits of the block layer. block/blk-rq-qos.c, block/blk-iocost.c
    rule("rq_qos_wait", BlockThrottling),
    rule("ioc_rqos_throttle", BlockThrottling),

    // Device cache. block/blk-flush.c; the barrier of a btrfs superblock (barrier_all_devices) is inlined into
    // write_all_supers, and only it waits for a completion there. fs/btrfs/disk-io.c
    rule("blkdev_issue_flush", DeviceFlush),
    rule_under("wait_for_completion_io", "write_all_supers", DeviceFlush),

    // Direct I/O. fs/iomap/direct-io.c, block/fops.c
    rule("iomap_dio_rw", DeviceIo),
    rule("__iomap_dio_rw", DeviceIo),
    rule("blkdev_direct_IO", DeviceIo),
    rule("__blkdev_direct_IO_simple", DeviceIo),
    // A block that is read because a part of it is written. fs/ext4/inode.c, fs/iomap/buffered-io.c
    rule("ext4_block_write_begin", DeviceIo),
    rule("iomap_write_begin", DeviceIo),
    // Pages of the file that are read into the page cache, by the thread itself or ahead of it. mm/filemap.c; before Linux 5.12
    // in the second function. File systems end by calling it, which leaves none of their functions on the stack: NFS's stays.
    rule_under("filemap_read", "nfs_file_read", FileServer),
    rule("filemap_read", DeviceIo),
    rule_under("generic_file_buffered_read", "nfs_file_read", FileServer),
    rule("generic_file_buffered_read", DeviceIo),
    // Metadata read from the device. fs/ext4/inode.c, fs/ext4/balloc.c, fs/ext4/super.c, fs/xfs/xfs_buf.c
    rule("__ext4_get_inode_loc", DeviceIo),
    rule("ext4_read_block_bitmap_nowait", DeviceIo),
    rule("ext4_wait_block_bitmap", DeviceIo),
    rule("ext4_read_bh", DeviceIo),
    rule("xfs_buf_iowait", DeviceIo),
    rule("read_extent_buffer_pages", DeviceIo),

    // Locks on inodes, tree blocks and pages. kernel/locking/rwsem.c, kernel/locking/mutex.c, mm/filemap.c
    // A lock is one on any file system; what its holder does with it is followed.
    rule("rwsem_down_read_slowpath", FileSystemLock),
    rule("rwsem_down_write_slowpath", FileSystemLock),
    rule("__mutex_lock", FileSystemLock),
    shared("__folio_lock", FileSystemLock),
    shared("__filemap_get_folio", FileSystemLock),
    shared("inode_dio_wait", FileSystemLock),
    // A file system that is frozen, for a snapshot say: sb_start_write(). kernel/locking/percpu-rwsem.c, fs/super.c
    rule("percpu_rwsem_wait", FileSystemLock),
    shared("__inode_dio_wait", FileSystemLock),
    rule("xfs_buf_lock", FileSystemLock),
    // A range of a file. fs/btrfs/extent-io-tree.c
    rule("btrfs_lock_extent_bits", FileSystemLock),
    // Space in the journal, a handle of the running transaction, and a block that the committing one still writes.
    // fs/jbd2/transaction.c, fs/jbd2/checkpoint.c
    rule("__jbd2_log_wait_for_space", JournalSpace),
    rule("add_transaction_credits", JournalSpace),
    rule("wait_transaction_locked", FileSystemLock),
    rule("wait_transaction_switching", FileSystemLock),
    rule("start_this_handle", FileSystemLock),
    rule("do_get_write_access", JournalCommit),
    // The same in btrfs. fs/btrfs/transaction.c
    rule("wait_current_trans", FileSystemLock),
    // Space. fs/xfs/xfs_log.c, fs/btrfs/space-info.c, fs/btrfs/block-group.c
    rule("xlog_grant_head_wait", JournalSpace),
    rule("xlog_grant_head_check", JournalSpace),
    rule("handle_reserve_ticket", JournalSpace),
    // The same where it is inlined.
    rule("__reserve_bytes", JournalSpace),
    rule("wait_reserve_ticket", JournalSpace),
    rule("btrfs_wait_block_group_cache_progress", FileSystemLock),
    // Throttling of writers. mm/page-writeback.c
    rule("balance_dirty_pages", DirtyThrottling),

    // Servers of network file systems, and processes behind file systems in user space: pages on their way there are no
    // write-back to a device. fs/nfs/file.c, fs/nfs/pagelist.c, net/sunrpc/sched.c, fs/fuse/dev.c
    rule("nfs_wait_on_request", FileServer),
    rule("rpc_wait_bit_killable", FileServer),
    rule("nfs_file_fsync", FileServer),
    rule("nfs_file_write", FileServer),
    rule("nfs_file_direct_write", FileServer),
    rule("nfs_file_read", FileServer),
    rule("request_wait_answer", FileServer),

    // ext4. fs/jbd2/journal.c, fs/ext4/fast_commit.c
    rule("jbd2_log_wait_commit", JournalCommit),
    rule("jbd2_complete_transaction", JournalCommit),
    rule("ext4_fc_commit", JournalCommit),
    // xfs. fs/xfs/xfs_log.c, fs/xfs/xfs_log_cil.c
    rule("xlog_wait_on_iclog", JournalCommit),
    rule("xlog_force_lsn", JournalCommit),
    rule("xlog_cil_push_now", JournalCommit),
    rule("xlog_cil_force_seq", JournalCommit),
    rule("xfs_log_force_seq", JournalCommit),
    rule("xfs_log_force", JournalCommit),
    // btrfs: tree log, full transaction, and the superblock that ends either.
    // fs/btrfs/tree-log.c, fs/btrfs/transaction.c, fs/btrfs/disk-io.c
    rule("wait_log_commit", JournalCommit),
    rule("wait_for_writer", JournalCommit),
    rule("btrfs_wait_tree_log_extents", JournalCommit),
    rule("write_all_supers", JournalCommit),
    rule("btrfs_sync_log", JournalCommit),
    rule("wait_for_commit", JournalCommit),
    rule("btrfs_commit_transaction", JournalCommit),

    // Pages of the file, and where there is no journal also its inode and metadata blocks, which then go to the
    // device like data. mm/page-writeback.c, mm/filemap.c, fs/buffer.c, fs/fs-writeback.c
    shared("folio_wait_writeback", DataWriteback),
    shared("__filemap_fdatawait_range", DataWriteback),
    shared("do_writepages", DataWriteback),
    shared("file_write_and_wait_range", DataWriteback),
    shared("__sync_dirty_buffer", DataWriteback),
    shared("fsync_buffers_list", DataWriteback),
    shared("inode_wait_for_writeback", DataWriteback),
    // fs/btrfs/ordered-data.c
    rule("btrfs_wait_ordered_range", DataWriteback),
    rule("btrfs_start_ordered_extent_nowriteback", DataWriteback),

    // ZFS, from the sources of OpenZFS 2.1 to 2.4: no pool was tried. All waits but those for mutexes sleep in the same
    // functions (cv_wait_common() and its like, module/os/linux/spl/spl-condvar.c), which have no row: their callers decide.
    // The intent log: zil_commit_waiter() sleeps until its block is written and flushed. Compilers leave only some of these
    // three on the stack, because one ends by calling the next. module/zfs/zil.c
    rule("zil_commit_impl", JournalCommit),
    rule("zil_commit_flags", JournalCommit),
    rule("zil_commit", JournalCommit),
    // A writer with too much unwritten data: dmu_tx_wait() sleeps until there is less (dp_spaceavail_cv), for a time that
    // grows with it (dmu_tx_delay()), or for a whole transaction group. module/zfs/dmu_tx.c
    rule_under("txg_wait_synced_flags", "dmu_tx_wait", DirtyThrottling),
    rule_under("txg_wait_synced", "dmu_tx_wait", DirtyThrottling),
    rule("dmu_tx_wait", DirtyThrottling),
    // A transaction group on its way to the pool, where the intent log is not used: txg_wait_synced() before 2.4, which
    // calls txg_wait_synced_flags() since. module/zfs/txg.c
    rule("txg_wait_synced_flags", JournalCommit),
    rule("txg_wait_synced", JournalCommit),
    // A block that the thread itself reads or writes (zio_wait()), or that another one reads (db_changed in dbuf_read()).
    // module/zfs/zio.c, module/zfs/dbuf.c
    rule("zio_wait", DeviceIo),
    rule("dbuf_read", DeviceIo),
    // A range of a file that another thread reads or writes. The first ends by calling the second. module/zfs/zfs_rlock.c
    rule("zfs_rangelock_enter", FileSystemLock),
    rule("zfs_rangelock_enter_impl", FileSystemLock),
    // Room in ZFS's own cache, at its limit. module/zfs/arc.c
    rule("arc_wait_for_eviction", MemoryReclaim),
];

#[cfg(test)]
mod tests;
