//! Document of a measurement that goes on; pure.

use logtrace_report::document::{CaveatKind, Document};

/// Returns the document that a run directory has while its measurement goes on, and if it is killed.
pub(crate) fn unfinished(mut document: Document) -> Document {
    let rest = match document.driver {
        Some(_) => "latency.hlog has the latencies up to its end",
        None => "it has no results",
    };
    let text = format!("this run did not finish: {rest}");
    document.caveats.push(CaveatKind::UnfinishedRun.caveat(text));
    document
}
