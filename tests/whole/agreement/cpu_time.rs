//! CPU time of the server and of the machine, against the kernel's counters of the process.

use std::fs;

use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_report::document::{Cpu, Document};

use super::traced::traced;
use crate::common::sysbench::{prepare, updates};
use crate::common::{SERVERS, alone, driver, run};

const EVENTS: u32 = 4_000;

/// A tick of the kernel's counters (`USER_HZ`).
const TICK_NS: u64 = 10_000_000;

/// Time of a process on the CPU, all threads of it (proc_pid_stat(5): utime and stime).
fn ticks_ns(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<u64>().unwrap();
    (ticks(11) + ticks(12)) * TICK_NS
}

fn cpu(document: &Document) -> &Cpu {
    document.cpu.as_ref().expect("the server is on this machine")
}

#[test]
fn a_trace_has_the_cpu_time_that_the_kernel_counts_for_the_server() {
    let _alone = alone();
    let foreign = Foreign::start(Flavor::MariaDb);
    prepare(&foreign);
    let around_ns = ticks_ns(foreign.pid());
    let (document, within_ns) = traced(&foreign, || {
        let before_ns = ticks_ns(foreign.pid());
        updates(&foreign, EVENTS, None);
        ticks_ns(foreign.pid()) - before_ns
    });
    let around_ns = ticks_ns(foreign.pid()) - around_ns;
    let cpu = cpu(&document);
    let told = format!("logtrace {}, /proc {within_ns} to {around_ns}", cpu.server.total);
    // Each reading of ticks may lack two of them: one of each kind.
    assert!(cpu.server.total + 4 * TICK_NS >= within_ns, "{told}");
    assert!(cpu.server.total <= around_ns + 4 * TICK_NS, "{told}");
    assert!(within_ns > 20 * TICK_NS, "too little to compare: {told}");
    let machine = cpu.machine.as_ref().unwrap();
    assert!(
        machine.total + 4 * TICK_NS >= cpu.server.total,
        "{told}, all {}",
        machine.total
    );
}

#[test]
fn a_run_has_the_cpu_time_of_its_window_alone_traced_or_not() {
    let _alone = alone();
    for server in SERVERS {
        for (options, work) in [
            ("--rate 200/s", "a commit"),
            ("--rate 200/s --no-trace", "a request"),
        ] {
            let ran = run(&format!(
                "--server {server} {options} --duration 4s --warmup 500ms --rows 1000"
            ));
            let document = ran.good();
            let cpu = cpu(&document);
            assert_eq!(
                (cpu.column_ns, cpu.server.columns.len()),
                (100_000_000, 40),
                "{server}"
            );
            let cpus = u64::from(document.host.as_ref().unwrap().cpus);
            // A reading may come late.
            let most = cpu.server.columns.iter().max().unwrap();
            assert!(*most < cpus * 130_000_000, "{server}: {cpu:?}");
            assert!(cpu.server.total < cpus * 4_000_000_000, "{server}: {cpu:?}");
            let busy = cpu.server.columns.iter().filter(|ns| **ns > 0).count();
            assert!(busy >= 38, "{server}: {cpu:?}");
            assert!(
                cpu.server.total / driver(&document).done > 10_000,
                "{server}: {cpu:?}"
            );
            let text = ran.stdout();
            let line = text.lines().find(|line| line.contains("server CPU: "));
            assert!(line.is_some_and(|line| line.contains(work)), "{server}: {text}");
        }
    }
}
