//! The tracer's own account: what it read, missed and cost, and its probes.

use crate::document::{Document, Probe, Tracer};
use crate::render::table::Table;
use crate::units;

/// What it read, missed and cost, as pairs of a name and a number.
pub(crate) fn account(tracer: &Tracer) -> Vec<(&'static str, String)> {
    vec![
        ("records read", units::count(tracer.events)),
        ("lost", units::count(tracer.lost)),
        ("undecodable", units::count(tracer.undecodable)),
        ("unmatched", units::count(tracer.unmatched)),
        ("sums violated", units::count(tracer.invariant_violations)),
        ("run time in the kernel", units::duration(tracer.bpf_ns)),
        ("CPU time of the reader", units::duration(tracer.reader_cpu_ns)),
        ("CPU time a commit", units::duration(tracer.cpu_ns_per_commit)),
    ]
}

/// One row for each probe; `None` when there are none.
pub(crate) fn probes(document: &Document) -> Option<Table> {
    let probes = &document.tracer.as_ref()?.probes;
    (!probes.is_empty()).then(|| Table {
        header: vec!["probe", "place", "attached", "runs", "mean", "total"],
        words: 3,
        rows: probes.iter().map(row).collect(),
    })
}

fn row(probe: &Probe) -> Vec<String> {
    let mean = units::mean(probe.run_ns, probe.runs);
    vec![
        probe.name.clone(),
        probe.place.clone(),
        if probe.attached { "yes" } else { "no" }.to_owned(),
        units::count(probe.runs),
        mean.map_or_else(|| "-".to_owned(), units::duration),
        units::duration(probe.run_ns),
    ]
}
