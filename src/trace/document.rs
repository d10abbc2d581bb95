//! Document of a trace; pure.

use logtrace_report::document::{Document, Trace};

use super::caveats::caveats;
use super::config::TraceConfig;
use super::trace_outcome::TraceOutcome;
use crate::measurement::{self, Results};

/// Returns the results of a trace.
pub(crate) fn results(config: &TraceConfig, started: &str, raw: TraceOutcome) -> Results {
    let document = document(started, &raw);
    let caveats = caveats(config, &raw, &document);
    Results::new(raw.snapshot, document, caveats)
}

/// Returns the document of a trace, without caveats.
pub(crate) fn document(started: &str, raw: &TraceOutcome) -> Document {
    let mut document = measurement::document(started, &raw.snapshot, []);
    document.trace = Some(Trace {
        pid: raw.snapshot.server.pid,
        duration_s: raw.duration.as_secs_f64(),
    });
    document
}
