//! Stacks and what they are waits for.

use std::fs;

use super::*;

fn wait(stack: &str) -> Option<Wait> {
    let frames: Vec<String> = stack.split_whitespace().map(str::to_owned).collect();
    wait_of(&frames)
}

#[test]
fn real_stacks_mean_what_they_say() {
    let kernels = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/stacks")).unwrap();
    for kernel in kernels {
        let path = kernel.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let stacks: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(
            stacks.len() > 20,
            "{}: only {} stacks",
            path.display(),
            stacks.len()
        );
        for line in stacks {
            let (expected, frames) = line.split_once(": ").unwrap();
            let found = wait(frames).map(<&str>::from);
            assert_eq!(found, Some(expected), "{}: {frames}", path.display());
        }
    }
}

#[test]
fn the_function_nearest_to_the_block_decides() {
    let flush_in_sync = "submit_bio_wait blkdev_issue_flush xfs_file_fsync";
    assert_eq!(wait(flush_in_sync), Some(DeviceFlush));
    let lock_in_writeback = "down_write rwsem_down_write_slowpath xfs_ilock do_writepages";
    assert_eq!(wait(lock_in_writeback), Some(FileSystemLock));
}

#[test]
fn a_flush_inside_a_write_with_o_dsync_is_a_flush() {
    let write = "ext4_sync_file generic_write_sync ext4_file_write_iter vfs_write";
    assert_eq!(
        wait(&format!("submit_bio_wait blkdev_issue_flush {write}")),
        Some(DeviceFlush)
    );
    assert_eq!(
        wait(&format!("schedule jbd2_log_wait_commit {write}")),
        Some(JournalCommit)
    );
}

#[test]
fn reclaim_is_waited_for_whatever_it_waits_for_itself() {
    let reclaim = "io_schedule folio_wait_writeback shrink_folio_list shrink_lruvec try_charge_memcg";
    assert_eq!(
        wait(&format!("{reclaim} ext4_da_write_begin")),
        Some(MemoryReclaim)
    );
    let journal = "jbd2_log_wait_commit shrink_slab shrink_node do_try_to_free_pages ext4_sync_file";
    assert_eq!(wait(journal), Some(MemoryReclaim));
}

#[test]
fn a_full_device_queue_is_waited_for_as_what_was_submitted() {
    let submitting = |caller| {
        wait(&format!(
            "io_schedule blk_mq_get_tag submit_bio_noacct {caller} ext4_sync_file"
        ))
    };
    assert_eq!(submitting("blkdev_issue_flush"), Some(DeviceFlush));
    assert_eq!(submitting("__iomap_dio_rw"), Some(DeviceIo));
    assert_eq!(submitting("do_writepages"), Some(DataWriteback));
}

#[test]
fn copies_made_by_the_compiler_keep_their_meaning() {
    assert_eq!(wait("schedule xlog_cil_push_now.isra.0"), Some(JournalCommit));
    assert_eq!(
        wait("__mutex_lock.constprop.0 ext4_file_write_iter"),
        Some(FileSystemLock)
    );
}

#[test]
fn shared_functions_say_nothing_about_other_file_systems() {
    let stack = "io_schedule folio_wait_writeback file_write_and_wait_range";
    assert_eq!(
        wait(&format!("{stack} ext4_sync_file do_fsync")),
        Some(DataWriteback)
    );
    assert_eq!(wait(&format!("{stack} ceph_fsync do_fsync")), None);
    assert_eq!(
        wait(&format!("{stack} nfs_file_fsync do_fsync")),
        Some(FileServer)
    );
    assert_eq!(
        wait(&format!("balance_dirty_pages {stack} nfs_file_write")),
        Some(DirtyThrottling)
    );
}

#[test]
fn a_read_on_a_network_file_system_is_its_servers() {
    let stack = "io_schedule folio_wait_bit_common filemap_get_pages filemap_read";
    assert_eq!(wait(&format!("{stack} vfs_read")), Some(DeviceIo));
    assert_eq!(wait(&format!("{stack} nfs_file_read vfs_read")), Some(FileServer));
}

#[test]
fn a_lock_is_a_lock_on_any_file_system() {
    let stack = "schedule rwsem_down_write_slowpath down_write fuse_file_write_iter vfs_write";
    assert_eq!(wait(stack), Some(FileSystemLock));
}

/// Waits in ZFS as its sources have them, below the functions that sleep: no real stack.
const ZFS: &str = "\
journal commit: zil_commit_waiter zil_commit_impl zfs_fsync zpl_fsync vfs_fsync_range do_fsync
journal commit: zil_commit_flags zil_commit zfs_fsync zpl_fsync vfs_fsync_range do_fsync
journal commit: zil_commit zfs_write zpl_iter_write vfs_write
journal commit: txg_wait_synced_impl txg_wait_synced zil_commit zfs_fsync zpl_fsync do_fsync
journal commit: txg_wait_synced_flags zil_commit_flags zfs_fsync zpl_fsync do_fsync
dirty throttling: txg_wait_synced_impl txg_wait_synced dmu_tx_wait dmu_tx_assign zfs_write vfs_write
dirty throttling: txg_wait_synced_flags dmu_tx_wait dmu_tx_assign zfs_write vfs_write
dirty throttling: dmu_tx_wait dmu_tx_assign zfs_write zpl_iter_write vfs_write
device I/O: zio_wait dmu_tx_count_write dmu_tx_hold_write_by_dnode zfs_write vfs_write
device I/O: zio_wait dbuf_read dmu_buf_hold zfs_get_data zil_lwb_commit zil_commit_impl zfs_fsync
device I/O: dbuf_read dmu_buf_hold_array_by_dnode dmu_read_uio_dnode zfs_read vfs_read
file system lock: zfs_rangelock_enter_impl zfs_write zpl_iter_write vfs_write
file system lock: zfs_rangelock_enter_writer zfs_rangelock_enter zfs_write zpl_iter_write vfs_write
file system lock: __mutex_lock zil_commit_writer zil_commit_impl zfs_fsync zpl_fsync do_fsync
memory reclaim: arc_wait_for_eviction arc_get_data_impl arc_read dbuf_read zfs_write vfs_write";

#[test]
fn a_wait_in_zfs_is_for_what_its_sources_say() {
    let sleep = "schedule cv_wait_common __cv_wait";
    for line in ZFS.lines() {
        let (expected, frames) = line.split_once(": ").unwrap();
        let found = wait(&format!("{sleep} {frames}")).map(<&str>::from);
        assert_eq!(found, Some(expected), "{frames}");
    }
    let unknown = format!("{sleep} some_new_wait zfs_write zpl_iter_write vfs_write");
    assert_eq!(wait(&unknown), None);
}

#[test]
fn an_unknown_stack_is_nobodys() {
    assert_eq!(
        wait("schedule io_schedule some_new_wait vfs_fsync_range do_fsync"),
        None
    );
    assert_eq!(wait(""), None);
}

#[test]
fn no_function_has_two_meanings() {
    for (at, one) in RULES.iter().enumerate() {
        let again = |other: &StackRule| other.function == one.function && one.under.is_none();
        assert!(
            !RULES[at + 1..].iter().any(again),
            "{} is decided twice",
            one.function
        );
    }
}
