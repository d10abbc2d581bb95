//! Account of the tracer: its records, its losses, its cost, its programs and probes.

use logtrace_common::units;

use crate::document::{Document, Tracer};
use crate::render::table::Table;

/// Returns records, losses and cost, as pairs of a name and a number.
pub(crate) fn account(tracer: &Tracer) -> Vec<(&'static str, String)> {
    vec![
        ("records read", units::count(tracer.events)),
        ("lost", units::count(tracer.lost)),
        ("undecodable", units::count(tracer.undecodable)),
        ("unmatched", units::count(tracer.unmatched)),
        ("sums violated", units::count(tracer.invariant_violations)),
        ("contradictions", units::count(tracer.contradictions)),
        ("run time in the kernel", units::duration(tracer.bpf_ns)),
        ("way to the programs", units::duration(tracer.entry_ns)),
        ("slower system calls", units::duration(tracer.slow_call_ns)),
        ("CPU time of the reader", units::duration(tracer.reader_cpu_ns)),
        ("CPU time a commit", units::duration(tracer.cpu_ns_per_commit)),
    ]
}

/// Returns the programs of the kernel side, or `None` if there are none.
pub(crate) fn programs(document: &Document) -> Option<Table> {
    let rows = document.tracer.as_ref()?.programs.iter().map(|program| {
        vec![
            program.name.clone(),
            units::count(program.runs),
            units::mean_duration(program.run_ns, program.runs),
            units::duration(program.run_ns),
        ]
    });
    Table::new(1, ["program", "runs", "mean", "total"], rows)
}

/// Returns the probes, or `None` if there are none.
pub(crate) fn probes(document: &Document) -> Option<Table> {
    let rows = document.tracer.as_ref()?.probes.iter().map(|probe| {
        vec![
            probe.name.clone(),
            probe.program.clone(),
            probe.place.clone(),
            if probe.attached { "yes" } else { "no" }.to_owned(),
        ]
    });
    Table::new(4, ["probe", "program", "place", "attached"], rows)
}
