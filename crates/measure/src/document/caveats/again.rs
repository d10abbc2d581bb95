//! Caveats of a recording that was explained again; pure.

use logtrace_report::document::{Caveat, CaveatKind, Document};

use crate::document::caveats::tracing::{OF_BREAKDOWN, breakdown_caveats};

/// Returns the caveats of the run, those of its explanation replaced by those of this one, in the same order.
pub(crate) fn caveats(run: &Document, document: &Document) -> Vec<Caveat> {
    let mut again = breakdown_caveats(document);
    let has_commits = document.commits.as_ref().is_some_and(|commits| commits.count > 0);
    let mut caveats = Vec::new();
    for caveat in &run.caveats {
        if OF_BREAKDOWN.contains(&caveat.kind) {
            let place = again.iter().position(|other| other.kind == caveat.kind);
            caveats.extend(place.map(|place| again.remove(place)));
        } else if !(has_commits && caveat.kind == CaveatKind::NoCommits) {
            caveats.push(caveat.clone());
        }
    }
    caveats.extend(again);
    caveats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::traced_run;

    /// Returns the caveats of a run with these kinds of caveats, after it was explained again as `document`.
    fn again(kinds: &[CaveatKind], document: &Document) -> Vec<(CaveatKind, bool)> {
        let mut run = traced_run();
        let of_run = kinds.iter().map(|kind| kind.clone().caveat("of the run"));
        run.caveats = of_run.collect();
        let caveats = caveats(&run, document).into_iter();
        caveats
            .map(|caveat| (caveat.kind, caveat.text == "of the run"))
            .collect()
    }

    /// Returns a run in whose explanation some records are undecodable and some commits do not add up.
    fn with_faults() -> Document {
        let mut document = traced_run();
        let tracer = document.tracer.as_mut().unwrap();
        (tracer.undecodable, tracer.invariant_violations) = (1, 2);
        document
    }

    #[test]
    fn caveats_of_the_explanation_are_replaced_at_their_place_and_new_ones_come_last() {
        let kinds = [
            CaveatKind::Errors,
            CaveatKind::InvariantViolations,
            CaveatKind::LostRecords,
            CaveatKind::Unexplained,
            CaveatKind::Recording,
        ];
        let expected = [
            (CaveatKind::Errors, true),
            (CaveatKind::InvariantViolations, false),
            (CaveatKind::LostRecords, true),
            (CaveatKind::Recording, true),
            (CaveatKind::UndecodableRecords, false),
        ];
        assert_eq!(again(&kinds, &with_faults()), expected);
    }

    #[test]
    fn the_same_explanation_gives_the_same_caveats() {
        let kinds = [CaveatKind::UndecodableRecords, CaveatKind::InvariantViolations];
        let found = again(&kinds, &with_faults());
        assert_eq!(found, kinds.map(|kind| (kind, false)));
    }

    #[test]
    fn that_there_are_no_commits_goes_only_with_the_first_commit() {
        let mut document = traced_run();
        assert_eq!(again(&[CaveatKind::NoCommits], &document), []);
        document.commits = None;
        assert_eq!(
            again(&[CaveatKind::NoCommits], &document),
            [(CaveatKind::NoCommits, true)]
        );
    }

    #[test]
    fn a_kind_of_a_later_version_stays() {
        let later = CaveatKind::Other("of_a_later_version".to_owned());
        assert_eq!(
            again(std::slice::from_ref(&later), &traced_run()),
            [(later, true)]
        );
    }
}
