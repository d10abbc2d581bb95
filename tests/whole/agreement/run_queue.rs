//! The time from a wake-up until the thread runs, on an idle CPU and behind others, as bpftrace measures it at the same
//! time.

use std::fs::File;
use std::io::BufReader;

use logtrace_common::{Flavor, TimeRange};
use logtrace_events::{CpuWait, Record, RecordingReader, Wake, decode};

use super::bpftrace::{Bpftrace, Calls};
use super::traced::traced_with;
use crate::common::sysbench::{prepare, updates};
use crate::common::{Ran, alone};
use logtrace_laboratory::foreign::Foreign;

/// Keys of run_queue.bt: whether the CPU was idle.
const IDLE: &str = "1";
const OTHERS: &str = "0";

const EVENTS: u32 = 250;
const RATE_PER_S: u32 = 50;

/// Each tracer's programs run inside the other's interval.
const TOLERANCE: f64 = 0.05;

/// run_queue.bt counts from a second after it began to look. It knows the threads that left the CPU since then.
const LOOKS_BEFORE_NS: u64 = 1_000_000_000;

#[test]
fn waits_for_a_cpu_are_those_that_bpftrace_sees() {
    let _alone = alone();
    let foreign = Foreign::start(Flavor::MySql);
    prepare(&foreign);
    let (ran, seen) = traced_with(&foreign, "--record", || {
        let bpftrace = Bpftrace::run_queue_of(foreign.pid());
        updates(&foreign, EVENTS, Some(RATE_PER_S));
        bpftrace.ended()
    });
    let [first_ns, last_ns] = seen.counted_ns;
    let [idle, others] = waits(&ran, TimeRange::new(first_ns, last_ns + 1));
    let theirs = |before: &str| seen.calls.get(before).copied().unwrap_or_default();
    let told = format!(
        "logtrace: idle {idle:?}, others {others:?}; bpftrace: {:?}",
        seen.calls
    );
    let looks = theirs(IDLE).count + theirs(OTHERS).count;
    assert!(looks >= u64::from(EVENTS), "hardly anything: {told}");
    let all = theirs(IDLE).total + theirs(OTHERS).total;
    for (ours, theirs) in [(idle, theirs(IDLE)), (others, theirs(OTHERS))] {
        let difference = ours.total.abs_diff(theirs.total) as f64 / all as f64;
        assert!(difference <= TOLERANCE, "{difference}: {told}");
    }
}

/// Returns the waits for a CPU after a wake-up: on an idle CPU, and behind others.
fn waits(ran: &Ran, range: TimeRange) -> [Calls; 2] {
    let recording = File::open(ran.file("records.bin")).unwrap();
    let mut records = RecordingReader::new(BufReader::new(recording)).unwrap();
    let [mut idle, mut others] = [Calls::default(); 2];
    while let Some(bytes) = records.next_record().unwrap() {
        if let Ok(Record::OffCpu(off)) = decode(bytes)
            && let Wake::By { at_ns, .. } = off.wake
            && range.contains(off.in_ns)
            && off.out_ns + LOOKS_BEFORE_NS >= range.start_ns
        {
            let calls = match off.cpu_wait {
                CpuWait::Idle => &mut idle,
                _ => &mut others,
            };
            calls.count += 1;
            calls.total += off.in_ns - at_ns;
        }
    }
    [idle, others]
}
