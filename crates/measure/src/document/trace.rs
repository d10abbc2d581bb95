//! Document of a trace; pure.

use logtrace_report::document::{Document, Trace};

use crate::config::trace_config::TraceConfig;
use crate::document::base;
use crate::document::caveats::trace::caveats;
use crate::document::results::Results;
use crate::outcome::trace_outcome::TraceOutcome;

/// Returns the results of a trace.
pub fn results(config: &TraceConfig, started: &str, raw: TraceOutcome) -> Results {
    let document = document(started, &raw);
    let caveats = caveats(config, &raw, &document);
    Results::new(raw.snapshot, document, caveats)
}

/// Returns the document of a trace, without caveats.
pub(crate) fn document(started: &str, raw: &TraceOutcome) -> Document {
    let mut document = base::document(started, &raw.snapshot, []);
    document.trace = Some(Trace {
        pid: raw.pid,
        duration_s: raw.duration.as_secs_f64(),
    });
    document
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::trace_outcome::Ended;
    use crate::samples::{STARTED, trace_config, trace_outcome};

    #[test]
    fn a_trace_whose_server_died_has_what_was_seen_until_then_and_is_degraded() {
        let mut raw = trace_outcome();
        raw.duration = Duration::from_millis(1_500);
        let config = trace_config(Some(Duration::from_secs(60)));
        let whole = results(&config, STARTED, trace_outcome()).document;
        assert!(!whole.is_degraded() && whole.caveats.is_empty());
        raw.ended = Ended::ServerGone;
        let results = results(&config, STARTED, raw);
        let document = &results.document;
        assert!(document.is_degraded());
        let trace = document.trace.as_ref().unwrap();
        assert_eq!(trace.duration_s, 1.5);
        assert_eq!(document.commits, whole.commits);
        assert!(document.workload.is_none() && document.driver.is_none());
        assert_eq!(document.check(), Ok(()));
        assert_eq!(results.over_time().unwrap().requests, None);
    }
}
