//! Account of the tracer: its records, its losses, its cost and its probes.

use crate::document::{Document, Tracer};
use crate::render::table::Table;
use crate::units;

/// Returns records, losses and cost, as pairs of a name and a number.
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

/// Returns the probes, or `None` if there are none.
pub(crate) fn probes(document: &Document) -> Option<Table> {
    let rows = document.tracer.as_ref()?.probes.iter().map(|probe| {
        vec![
            probe.name.clone(),
            probe.place.clone(),
            if probe.attached { "yes" } else { "no" }.to_owned(),
            units::count(probe.runs),
            units::mean_duration(probe.run_ns, probe.runs),
            units::duration(probe.run_ns),
        ]
    });
    let header = ["probe", "place", "attached", "runs", "mean", "total"];
    Table::new(3, header, rows)
}
