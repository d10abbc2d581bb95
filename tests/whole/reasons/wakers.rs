//! Waits that no other thread can end, and what is recorded as their end.

use std::fs::File;
use std::io::BufReader;

use logtrace_events::{OffCpu, Record, RecordingReader, Wake};

use crate::common::{SERVERS, beside_others, run};

/// Numbers of x86-64.
const PREAD64: u16 = 17;
const NANOSLEEP: u16 = 35;
const CLOCK_NANOSLEEP: u16 = 230;

/// A sleep ends by its timer, and a read by the device: both interrupt.
const BY_INTERRUPT: [u16; 3] = [PREAD64, NANOSLEEP, CLOCK_NANOSLEEP];

/// Returns options with which threads of the server sleep or read often.
fn busy_sleepers(server: &str) -> &'static str {
    match server {
        "mysql" => "--set binlog_group_commit_sync_delay=300",
        _ => "--tables 4 --rows 20000 --set innodb_buffer_pool_size=10M",
    }
}

/// System calls with a lock for which a read may wait: fallocate locks the inode of a file, and mmap, mprotect, munmap, brk and
/// madvise the address space, which a read into a page that is not there needs.
const LOCKING: [u16; 6] = [285, 9, 10, 11, 12, 28];

/// Returns whether a system call of a thread is recorded as what ended the wait, and cannot have.
fn has_impossible_waker(off: &OffCpu) -> bool {
    matches!(off.wake, Wake::By { syscall: Some(number), .. } if !LOCKING.contains(&number))
}

#[test]
fn an_interrupt_that_hits_a_thread_is_not_its_wake_up_of_another() {
    let _turn = beside_others();
    for server in SERVERS {
        let ran = run(&format!(
            "--server {server} --workload update_key --connections 32 --max --warmup 500ms --duration 3s --record {}",
            busy_sleepers(server)
        ));
        let recording = File::open(ran.file("records.bin")).unwrap();
        let mut records = RecordingReader::new(BufReader::new(recording)).unwrap();
        let (mut waits, mut impossible) = (0, Vec::new());
        while let Some(bytes) = records.next_record().unwrap() {
            if let Ok(Record::OffCpu(off)) = logtrace_events::decode(bytes)
                && off.syscall.is_some_and(|number| BY_INTERRUPT.contains(&number))
            {
                waits += 1;
                impossible.extend(has_impossible_waker(&off).then_some(off));
            }
        }
        assert!(waits > 100, "{server}: {waits}");
        assert!(
            impossible.is_empty(),
            "{server}: {} of {waits}: {impossible:?}",
            impossible.len()
        );
    }
}
