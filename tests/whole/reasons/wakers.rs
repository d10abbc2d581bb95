//! Waits that no other thread can end, and what is recorded as their end.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use logtrace_events::{OffCpu, Record, RecordingReader, Wake};

use crate::common::{SERVERS, beside_others, run};

/// Numbers of x86-64.
const PREAD64: u16 = 17;
const SLEEPS: [u16; 2] = [35, 230]; // nanosleep, clock_nanosleep

/// Returns whether an interrupt alone can end the wait. A sleep ends by its timer. A read ends by the device where it waits for
/// I/O (io_schedule() and io_schedule_timeout() in kernel/sched/core.c); where it waits for a lock of the kernel, such as that of
/// the inode, the call of another thread ends it.
fn ends_by_interrupt(off: &OffCpu, stacks: &HashMap<u32, Vec<String>>) -> bool {
    let frames = off.stack.and_then(|id| stacks.get(&id));
    match off.syscall {
        Some(PREAD64) => {
            frames.is_some_and(|frames| frames.iter().any(|frame| frame.starts_with("io_schedule")))
        }
        Some(number) => SLEEPS.contains(&number),
        None => false,
    }
}

/// Returns options with which threads of the server sleep or read often.
fn busy_sleepers(server: &str) -> &'static str {
    match server {
        "mysql" => "--set binlog_group_commit_sync_delay=300",
        _ => "--tables 4 --rows 20000 --set innodb_buffer_pool_size=10M",
    }
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
        let mut stacks = HashMap::new();
        let (mut waits, mut impossible) = (0, Vec::new());
        while let Some(bytes) = records.next_record().unwrap() {
            match logtrace_events::decode(bytes) {
                Ok(Record::Stack(stack)) => {
                    stacks.insert(stack.id, stack.frames);
                }
                Ok(Record::OffCpu(off)) if ends_by_interrupt(&off, &stacks) => {
                    waits += 1;
                    let frames = off.stack.and_then(|id| stacks.get(&id));
                    impossible.extend(
                        matches!(off.wake, Wake::By { syscall: Some(_), .. })
                            .then(|| format!("{off:?} {frames:?}")),
                    );
                }
                _ => {}
            }
        }
        assert!(waits > 100, "{server}: {waits}");
        assert!(
            impossible.is_empty(),
            "{server}: {} of {waits}: {impossible:#?}",
            impossible.len()
        );
    }
}
