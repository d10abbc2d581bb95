//! Results of a measurement.

use logtrace_attribution::breakdown::{OverTime, RequestCells};
use logtrace_report::document::{Caveat, Document};

use crate::measurement::ServerSnapshot;

/// Results of a measurement.
#[derive(Debug)]
pub struct Results {
    pub(crate) snapshot: ServerSnapshot,
    /// `run.json`.
    pub document: Document,
    /// Requests over time, if the load was logtrace's.
    pub(crate) requests: Option<RequestCells>,
}

impl Results {
    /// Adds caveats to the document.
    pub(crate) fn new(snapshot: ServerSnapshot, mut document: Document, caveats: Vec<Caveat>) -> Self {
        document.caveats.extend(caveats);
        Self {
            snapshot,
            document,
            requests: None,
        }
    }

    /// Returns the commits and requests over time, if there are any.
    pub(crate) fn over_time(&self) -> Option<OverTime> {
        let traced = self.snapshot.traced.as_ref();
        let commits = traced.map(|traced| traced.explained.breakdown.over_time.clone());
        (commits.is_some() || self.requests.is_some()).then(|| OverTime {
            requests: self.requests.clone(),
            ..commits.unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use logtrace_report::document::CaveatKind;

    use super::*;
    use crate::samples::{snapshot, traced, traced_run, untraced_run};

    fn results(traced: Option<crate::measurement::Traced>, requests: Option<RequestCells>) -> Results {
        let snapshot = ServerSnapshot { traced, ..snapshot() };
        Results {
            requests,
            ..Results::new(snapshot, untraced_run(), Vec::new())
        }
    }

    #[test]
    fn caveats_are_added_in_their_order() {
        let kinds = [CaveatKind::Errors, CaveatKind::Backlog];
        let caveats = kinds.clone().map(|kind| kind.caveat("told")).to_vec();
        let results = Results::new(snapshot(), traced_run(), caveats);
        let found = results.document.caveats.iter().map(|caveat| caveat.kind.clone());
        assert_eq!(found.collect::<Vec<_>>(), kinds);
    }

    #[test]
    fn over_time_has_the_commits_of_a_trace_and_the_requests_of_a_load() {
        assert_eq!(results(None, None).over_time(), None);
        let trace = results(Some(traced()), None).over_time().unwrap();
        assert_eq!((trace.commits.count(), trace.requests.is_some()), (200, false));
        let load = results(None, Some(RequestCells::default())).over_time().unwrap();
        assert_eq!((load.commits.count(), load.requests.is_some()), (0, true));
        let both = results(Some(traced()), Some(RequestCells::default()))
            .over_time()
            .unwrap();
        assert_eq!((both.commits.count(), both.requests.is_some()), (200, true));
    }
}
