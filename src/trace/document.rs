//! Puts the run document of a trace together; pure.

use logtrace_report::document::{Document, Trace};

use super::caveats::caveats;
use super::config::TraceConfig;
use super::outcome::Raw;
use crate::measurement::{self, Measured};

/// What the trace came to.
pub(crate) fn measured(config: &TraceConfig, started: &str, raw: Raw) -> Measured {
    let document = document(started, &raw);
    let caveats = caveats(config, &raw, &document);
    Measured::new(raw.observed, document, caveats)
}

/// The document of a trace, without caveats.
pub(crate) fn document(started: &str, raw: &Raw) -> Document {
    let mut document = measurement::document(started, &raw.observed, []);
    document.trace = Some(Trace {
        pid: raw.observed.server.pid,
        duration_s: raw.duration.as_secs_f64(),
    });
    document
}
