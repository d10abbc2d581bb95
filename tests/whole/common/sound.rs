//! Checks that hold for every traced run.

use std::collections::BTreeSet;

use logtrace_report::document::{Document, Tracer};

use super::{done_in_window, driver, sum_of_parts, total, workload};

/// Checks a traced run, whatever the machine does meanwhile.
pub(crate) fn assert_sound(document: &Document) {
    assert_counted(document);
    assert_joined(document);
}

/// Every commit was seen, and its causes add up.
pub(crate) fn assert_counted(document: &Document) {
    let commits = document.commits.as_ref().unwrap();
    let tracer = document.tracer.as_ref().unwrap();
    assert_eq!(
        (tracer.lost, tracer.undecodable, tracer.invariant_violations),
        (0, 0, 0)
    );
    assert_eq!(
        total(document, |_| true),
        commits.total,
        "causes sum to the commit time exactly"
    );
    assert!(
        document.unexplained * 20 <= commits.total,
        "{} of {}",
        document.unexplained,
        commits.total
    );
    assert!(tracer.bpf_ns > 0 && tracer.reader_cpu_ns > 0 && tracer.cpu_ns_per_commit > 0);
    assert_programs(tracer);
    let edges = u64::from(workload(document).connections) * 2;
    let done = done_in_window(document);
    assert!(
        commits.count.abs_diff(done) <= edges,
        "{} commits, {done} requests done",
        commits.count
    );
}

/// Every program is listed once, however many probes run it, and their times add up.
fn assert_programs(tracer: &Tracer) {
    let names: BTreeSet<&str> = tracer.programs.iter().map(|one| one.name.as_str()).collect();
    let of_probes: BTreeSet<&str> = tracer.probes.iter().map(|one| one.program.as_str()).collect();
    // Some count the system calls of the machine, and are at no probe of the server.
    assert!(of_probes.is_subset(&names), "{of_probes:?} {names:?}");
    assert_eq!(names.len(), tracer.programs.len());
    assert!(tracer.probes.len() > of_probes.len(), "probes share programs");
    let run_ns: u64 = tracer.programs.iter().map(|one| one.run_ns).sum();
    // Each is rounded.
    assert!(run_ns.abs_diff(tracer.bpf_ns) <= tracer.programs.len() as u64);
}

/// Each request is taken apart, and nothing of it is left over or counted twice.
fn assert_joined(document: &Document) {
    let response = document.response.as_ref().unwrap();
    assert_eq!(sum_of_parts(response), response.total);
    assert_eq!(
        (response.requests, response.unmatched),
        (driver(document).done, 0)
    );
    let commits = document.commits.as_ref().unwrap();
    // A request may be over after the window in which its commit began, and the other way round: one for each connection
    // at either end, and those may be the slowest of all.
    let edges = 2 * u64::from(workload(document).connections) * driver(document).service.max;
    assert!(
        response.commit.abs_diff(commits.total) <= commits.total / 50 + edges,
        "{} ns of {} ns of commit time are the requests', which took {} ns at most",
        response.commit,
        commits.total,
        driver(document).service.max
    );
}
