//! Document of a recording that was explained again; pure.

use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::recorded::Recorded;
use logtrace_report::document::{Caveat, Document, TracedParts};

use crate::measurement::caveat::{CaveatKind, OF_BREAKDOWN, breakdown_caveats, is_one_of};

/// Returns the document of a run with another explanation: load, latencies, settings and cost of the tracer stay.
pub(super) fn document(run: &Document, explained: &Recorded) -> Document {
    let breakdown = &explained.breakdown;
    let tracer = run.tracer.as_ref();
    let mut document = Document {
        logtrace: env!("CARGO_PKG_VERSION").into(),
        tracer: tracer.map(|tracer| tracer.explained_again(breakdown, explained.undecodable)),
        ..run.clone()
    };
    document.set_breakdown(breakdown, traced_parts(run, breakdown));
    document.caveats = caveats(run, &document);
    document
}

/// Returns the parts that were traced. A run that was killed has none yet: then those that the recording has something of.
fn traced_parts(run: &Document, breakdown: &Breakdown) -> TracedParts {
    match run.tracer {
        Some(_) => run.traced_parts(),
        None => TracedParts {
            files: !breakdown.files.is_empty(),
            devices: !breakdown.devices.is_empty(),
            groups: breakdown.groups.is_some(),
        },
    }
}

/// Returns the caveats of the run, those of its explanation replaced by those of this one, in the same order.
fn caveats(run: &Document, document: &Document) -> Vec<Caveat> {
    let mut again = breakdown_caveats(document);
    let has_commits = document.commits.as_ref().is_some_and(|commits| commits.count > 0);
    let mut caveats = Vec::new();
    for caveat in &run.caveats {
        if is_one_of(caveat, &OF_BREAKDOWN) {
            let place = again.iter().position(|other| other.kind == caveat.kind);
            caveats.extend(place.map(|place| again.remove(place)));
        } else if !(has_commits && is_one_of(caveat, &[CaveatKind::NoCommits])) {
            caveats.push(caveat.clone());
        }
    }
    caveats.extend(again);
    caveats
}
