//! Caveats of a join; pure.

use logtrace_attribution::breakdown::Response;
use logtrace_report::document::{Caveat, CaveatKind, Document};

use crate::document::caveats::tracing::{OF_BREAKDOWN, breakdown_caveats, share};
use crate::document::join_parts::Parts;

/// Largest share of the requests that may have no parts.
const UNJOINED_SHARE: f64 = 0.01;

/// Caveats of a trace that say something about all of its time, and not about the window of a run.
const OF_ITS_WINDOW: [CaveatKind; 3] = [
    CaveatKind::CommitsUnderWay,
    CaveatKind::Interrupted,
    CaveatKind::NoCommits,
];

/// Returns the caveats of a join: those of its run and of its trace that hold for it, and its own.
pub(crate) fn caveats(parts: &Parts<'_>, document: &Document) -> Vec<Caveat> {
    let of_run = parts.run.caveats.iter();
    let of_run = of_run.filter(|caveat| caveat.kind != CaveatKind::RemoteServer);
    let of_trace = parts.trace.caveats.iter();
    let of_trace = of_trace
        .filter(|caveat| !OF_ITS_WINDOW.contains(&caveat.kind) && !OF_BREAKDOWN.contains(&caveat.kind));
    let mut caveats: Vec<Caveat> = of_run.chain(of_trace).cloned().collect();
    caveats.extend(partly_joined(parts, &parts.explained.breakdown.response));
    caveats.extend(breakdown_caveats(document));
    caveats
}

/// Returns a caveat if the trace misses a part of the window, or many requests have no parts.
fn partly_joined(parts: &Parts<'_>, response: &Response) -> Option<Caveat> {
    let unjoined = response.unmatched;
    let of = response.requests + unjoined + response.untraced;
    let mut seen = Vec::new();
    if parts.missed_ns > 0 {
        let missed_s = parts.missed_ns as f64 / 1e9;
        seen.push(format!(
            "the trace misses {missed_s:.1} s of the run: start it before the run, and end it after the run"
        ));
    }
    if share(unjoined, of) > UNJOINED_SHARE {
        seen.push(format!(
            "{unjoined} of {of} requests are not in the trace, and have no parts"
        ));
    }
    (!seen.is_empty()).then(|| CaveatKind::PartlyJoined.caveat(seen.join("; ")))
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::recorded::Recorded;

    use super::*;
    use crate::samples::{explained, recording, trace_document, traced_run, untraced_run};

    /// Returns the explanation of a recording in which so many of 1,000 requests are missing.
    fn with_unjoined(unjoined: u64) -> Recorded {
        let mut recorded = explained(&recording());
        recorded.breakdown.response.requests = 1_000 - unjoined;
        recorded.breakdown.response.unmatched = unjoined;
        recorded
    }

    fn partly(missed_ns: u64, unjoined: u64) -> Option<String> {
        let (run, trace, explained) = (untraced_run(), trace_document(), with_unjoined(unjoined));
        let parts = Parts {
            run: &run,
            trace: &trace,
            explained: &explained,
            missed_ns,
        };
        partly_joined(&parts, &explained.breakdown.response).map(|caveat| caveat.text)
    }

    #[test]
    fn a_join_tells_the_time_and_the_requests_that_its_trace_misses() {
        assert_eq!(partly(0, 0), None);
        assert_eq!(partly(0, 10), None, "a hundredth of the requests");
        let text = partly(0, 11).unwrap();
        assert_eq!(
            text,
            "11 of 1000 requests are not in the trace, and have no parts"
        );
        let text = partly(1_500_000_000, 10).unwrap();
        assert!(
            text.contains("misses 1.5 s of the run") && !text.contains("requests"),
            "{text}"
        );
        let text = partly(1, 11).unwrap();
        assert!(text.contains("after the run; 11 of 1000"), "{text}");
    }

    #[test]
    fn requests_that_were_not_traced_are_none_of_those_that_are_missing() {
        let mut explained = with_unjoined(11);
        explained.breakdown.response.untraced = 200;
        let (run, trace) = (untraced_run(), trace_document());
        let parts = Parts {
            run: &run,
            trace: &trace,
            explained: &explained,
            missed_ns: 0,
        };
        assert_eq!(partly_joined(&parts, &explained.breakdown.response), None);
    }

    #[test]
    fn caveats_of_the_run_come_first_and_those_that_the_join_makes_untrue_are_gone() {
        let with = |mut document: Document, kinds: &[CaveatKind]| {
            let caveats = kinds.iter().map(|kind| kind.clone().caveat("of before"));
            document.caveats = caveats.collect();
            document
        };
        let run = [
            CaveatKind::Errors,
            CaveatKind::RemoteServer,
            CaveatKind::Interrupted,
        ];
        let trace = [
            CaveatKind::ServerDied,
            CaveatKind::Interrupted,
            CaveatKind::CommitsUnderWay,
            CaveatKind::NoCommits,
            CaveatKind::CutByBursts,
            CaveatKind::FileErrors,
            CaveatKind::InvariantViolations,
            CaveatKind::UndecodableRecords,
            CaveatKind::Unexplained,
            CaveatKind::LostRecords,
            CaveatKind::Other("of_a_later_version".to_owned()),
        ];
        let (run, trace) = (with(untraced_run(), &run), with(trace_document(), &trace));
        let explained = explained(&recording());
        let parts = Parts {
            run: &run,
            trace: &trace,
            explained: &explained,
            missed_ns: 1,
        };
        // The join has undecodable records of its own.
        let mut document = traced_run();
        document.tracer.as_mut().unwrap().undecodable = 1;
        let found = caveats(&parts, &document);
        let kinds: Vec<CaveatKind> = found.iter().map(|caveat| caveat.kind.clone()).collect();
        let expected = [
            CaveatKind::Errors,
            CaveatKind::Interrupted,
            CaveatKind::ServerDied,
            CaveatKind::LostRecords,
            CaveatKind::Other("of_a_later_version".to_owned()),
            CaveatKind::PartlyJoined,
            CaveatKind::UndecodableRecords,
        ];
        assert_eq!(kinds, expected);
        assert_ne!(found[6].text, "of before");
    }
}
