//! Memory of threads and their ends.

use logtrace_events::{CpuWait, Wake};

use super::*;

const MILLISECOND_NS: u64 = 1_000_000;

fn off_cpu(tid: Tid, out_ns: u64, in_ns: u64) -> OffCpu {
    OffCpu {
        tid,
        out_ns,
        in_ns,
        wake: Wake::Unknown,
        syscall: None,
        stack: None,
        cpu_wait: CpuWait::Unknown,
    }
}

/// Adds a connection of half a millisecond, with a commit in a group of its own.
fn connect(timelines: &mut Timelines, tid: Tid, at_ns: u64) {
    timelines.push_off_cpu(&off_cpu(tid, at_ns, at_ns + 10)).unwrap();
    timelines
        .push_member(&Member {
            tid,
            leader: tid,
            leader_commit_ns: Some(at_ns + 20),
            entered_ns: at_ns + 30,
            at_ns: at_ns + 40,
        })
        .unwrap();
    timelines
        .push_commit(&Commit {
            tid,
            start_ns: at_ns + 20,
            end_ns: at_ns + 50,
        })
        .unwrap();
}

fn length(timelines: &Timelines) -> usize {
    timelines.threads.len().max(timelines.groups.thread_count())
}

#[test]
fn a_million_connections_take_the_memory_of_the_last_seconds() {
    let mut timelines = Timelines::new(1);
    timelines.name_ack_receiver(7);
    for number in 0..1_000_000 {
        let (tid, at_ns) = (100 + number, u64::from(number) * MILLISECOND_NS / 2);
        connect(&mut timelines, tid, at_ns);
        let at_ns = at_ns + 60;
        timelines.push_thread_end(ThreadEnd { tid, at_ns });
        assert!(length(&timelines) <= 10_000);
    }
    assert!(
        timelines
            .thread(7)
            .is_some_and(|receiver| receiver.receives.is_some())
    );
}

#[test]
fn threads_whose_end_was_lost_are_forgotten_after_a_minute() {
    let mut timelines = Timelines::new(1);
    for number in 0..1_000_000 {
        connect(&mut timelines, 100 + number, u64::from(number) * MILLISECOND_NS);
        assert!(length(&timelines) <= 2 * 60_001);
    }
}

#[test]
fn a_request_goes_on_while_its_thread_is_preempted_in_a_read_of_a_file() {
    const READ: u16 = 0;
    let mut timelines = Timelines::new(1);
    let client = OffCpu {
        syscall: Some(READ),
        ..off_cpu(9, 0, 1_000)
    };
    let preempted = OffCpu {
        out_ns: 2_000,
        in_ns: 3_000,
        wake: Wake::Preempted,
        ..client
    };
    timelines.push_off_cpu(&client).unwrap();
    timelines.push_off_cpu(&preempted).unwrap();
    assert_eq!(timelines.request_ns(9), 1_000);
    assert_eq!(timelines.client_waits(9, TimeRange::new(0, 5_000)).count(), 1);
}

#[test]
fn an_id_that_is_used_again_is_of_a_new_thread() {
    let mut timelines = Timelines::new(1);
    connect(&mut timelines, 9, 1_000);
    assert!(timelines.serves_connection(9));
    timelines.push_thread_end(ThreadEnd { tid: 9, at_ns: 1_100 });
    // Commits that it woke are explained by its past.
    assert!(timelines.serves_connection(9));
    timelines.push_off_cpu(&off_cpu(9, 2_000, 2_010)).unwrap();
    assert!(!timelines.serves_connection(9));
    assert_eq!(timelines.thread(9).unwrap().known_from_ns(), 2_000);
}
