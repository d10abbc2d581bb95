//! Document of a recording that was explained again; pure.

use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::recorded::Recorded;
use logtrace_report::document::{Document, TracedParts};

use crate::document::caveats::again::caveats;
use crate::document::named_holders::keep_names;

/// Returns the document of a run with another explanation: load, latencies, settings and cost of the tracer stay.
pub(crate) fn document(run: &Document, explained: &Recorded) -> Document {
    let breakdown = &explained.breakdown;
    let tracer = run.tracer.as_ref();
    let mut document = Document {
        logtrace: env!("CARGO_PKG_VERSION").into(),
        tracer: tracer.map(|tracer| tracer.explained_again(breakdown, explained.undecodable)),
        ..run.clone()
    };
    document.set_breakdown(breakdown, traced_parts(run, breakdown));
    keep_names(&mut document, run);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::unfinished::unfinished;
    use crate::samples::{explained, recording, traced_run, untraced_run};

    #[test]
    fn the_same_recording_gives_the_same_document() {
        let run = traced_run();
        assert_eq!(document(&run, &explained(&recording())), run);
    }

    #[test]
    fn what_another_version_explained_is_replaced_and_what_was_measured_stays() {
        let run = traced_run();
        let mut before = run.clone();
        before.logtrace = "0.0.1".to_owned();
        before.causes.clear();
        before.unexplained = 7;
        let tracer = before.tracer.as_mut().unwrap();
        (tracer.invariant_violations, tracer.lost) = (3, 9);
        let again = document(&before, &explained(&recording()));
        assert_eq!((&again.causes, again.unexplained), (&run.causes, run.unexplained));
        assert_eq!(again.logtrace, env!("CARGO_PKG_VERSION"));
        let tracer = again.tracer.unwrap();
        assert_eq!((tracer.invariant_violations, tracer.lost), (0, 9));
        assert_eq!(again.driver, before.driver);
    }

    #[test]
    fn parts_that_were_not_traced_stay_null() {
        let mut run = traced_run();
        run.files = None;
        assert_eq!(document(&run, &explained(&recording())).files, None);
    }

    #[test]
    fn a_killed_run_gets_the_parts_that_its_recording_has() {
        let killed = unfinished(untraced_run());
        let again = document(&killed, &explained(&recording()));
        assert_eq!(again.commits, traced_run().commits);
        assert!(again.files.is_some() && again.devices.is_none() && again.groups.is_none());
        assert_eq!(again.caveats, killed.caveats);
        assert!(again.is_degraded());
    }
}
