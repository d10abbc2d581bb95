//! Commits of `over-time.json` that are exported.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{Exemplar, Exemplars, OverTime};
use logtrace_common::TimeRange;

use super::selection::Selection;

/// A commit with the list that has its words and stacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChosenCommit<'a> {
    pub(super) commit: &'a Exemplar,
    pub(super) of: &'a Exemplars,
    /// Number of the list.
    pub(super) list: u32,
}

/// Returns the exemplars of a selection in the order of their ends, each once: those with records where a list has no room for
/// them. All of the window has as many as there are.
pub(super) fn chosen(over_time: &OverTime, selection: Selection) -> Vec<ChosenCommit<'_>> {
    let OverTime {
        slowest,
        typical,
        stalls,
        ..
    } = over_time;
    let (lists, most) = match selection {
        Selection::Slowest(most) => (&[slowest][..], most),
        Selection::Exemplars | Selection::Part(_) | Selection::Whole => {
            (&[slowest, typical, stalls][..], usize::MAX)
        }
    };
    let mut commits = BTreeMap::<(u64, u32), ChosenCommit<'_>>::new();
    for (list, &of) in (0..).zip(lists) {
        for commit in of.commits.iter().take(most) {
            if is_in(selection, commit) {
                let chosen = ChosenCommit { commit, of, list };
                let known = commits.entry((commit.end, commit.tid)).or_insert(chosen);
                if known.commit.records.is_none() {
                    *known = chosen;
                }
            }
        }
    }
    commits.into_values().collect()
}

/// Returns whether a commit has a part in the selected times.
fn is_in(selection: Selection, commit: &Exemplar) -> bool {
    match selection {
        Selection::Part(part) => {
            let commit = TimeRange::new(commit.end.saturating_sub(commit.ns), commit.end);
            !commit.intersection(part).is_empty()
        }
        Selection::Exemplars | Selection::Slowest(_) | Selection::Whole => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::ExemplarRecords;

    fn list(commits: &[(u64, u64, bool)]) -> Exemplars {
        let commit = |&(end, ns, has_records): &(u64, u64, bool)| Exemplar {
            end,
            ns,
            tid: 7,
            records: has_records.then(ExemplarRecords::default),
            ..Exemplar::default()
        };
        Exemplars {
            commits: commits.iter().map(commit).collect(),
            ..Exemplars::default()
        }
    }

    #[test]
    fn a_commit_of_two_lists_is_taken_once_with_its_records() {
        let over_time = OverTime {
            slowest: list(&[(100, 50, true), (300, 40, false)]),
            typical: list(&[(20, 5, true), (100, 50, false)]),
            stalls: list(&[(300, 40, true)]),
            ..OverTime::default()
        };
        let found = |selection| {
            let commits = chosen(&over_time, selection).into_iter();
            commits
                .map(|chosen| (chosen.commit.end, chosen.list, chosen.commit.records.is_some()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(Selection::Exemplars),
            [(20, 1, true), (100, 0, true), (300, 2, true)]
        );
        assert_eq!(found(Selection::Slowest(1)), [(100, 0, true)]);
        assert_eq!(
            found(Selection::Part(TimeRange::new(99, 261))),
            [(100, 0, true), (300, 2, true)]
        );
    }
}
