//! Latest queried time of a thread, so that a record that would change an answer is detected.

use std::cell::Cell;

/// Effect of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Contradicts earlier records and was left out.
    Refused,
    /// Added, and no earlier answer changes.
    Added,
    /// Added, and an earlier answer may change.
    Revised,
}

impl Push {
    /// Returns the effect of a record that fits.
    pub(crate) fn added(is_revised: bool) -> Self {
        if is_revised { Self::Revised } else { Self::Added }
    }
}

/// Queried times of one thread.
#[derive(Debug, Default)]
pub(crate) struct QueryHorizon {
    /// End of the queried time outside the newest commit.
    outside_ns: Cell<u64>,
    /// End of the queried time inside the newest commit.
    inside_ns: Cell<u64>,
    /// Start of the newest commit that a query named.
    commit_ns: Cell<Option<u64>>,
}

impl QueryHorizon {
    /// Notes a query about the time before `until_ns`, so that later records that change the answer are detected.
    /// `commit_ns` is the start of the thread's commit at that time.
    pub(crate) fn note_query(&self, until_ns: u64, commit_ns: Option<u64>) {
        let newest_ns = self.commit_ns.get();
        if commit_ns > newest_ns {
            self.commit_ns.set(commit_ns);
            self.outside(self.inside_ns.replace(0));
        }
        match commit_ns {
            Some(commit_ns) if newest_ns <= Some(commit_ns) => {
                self.inside_ns.set(self.inside_ns.get().max(until_ns));
                self.outside(until_ns.min(commit_ns));
            }
            _ => self.outside(until_ns),
        }
    }

    /// Notes a query about time before `until_ns` that is not only about the newest commit.
    fn outside(&self, until_ns: u64) {
        self.outside_ns.set(self.outside_ns.get().max(until_ns));
    }

    /// Returns whether any query was about time after `at_ns`.
    pub(crate) fn reaches_beyond(&self, at_ns: u64) -> bool {
        at_ns < self.outside_ns.get().max(self.inside_ns.get())
    }

    /// Returns whether the record of a commit that began at `start_ns` changes an earlier answer.
    pub(crate) fn is_changed_by_commit(&self, start_ns: u64) -> bool {
        start_ns < self.outside_ns.get()
            || (start_ns < self.inside_ns.get() && self.commit_ns.get() != Some(start_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_was_open_is_no_news_when_it_ends() {
        let horizon = QueryHorizon::default();
        assert!(!horizon.reaches_beyond(0) && !horizon.is_changed_by_commit(0));
        horizon.note_query(50, Some(40));
        assert!(horizon.reaches_beyond(49) && !horizon.reaches_beyond(50));
        assert!(!horizon.is_changed_by_commit(40) && !horizon.is_changed_by_commit(50));
        for other_ns in [39, 41, 49] {
            assert!(horizon.is_changed_by_commit(other_ns), "{other_ns}");
        }
    }

    #[test]
    fn time_outside_of_a_commit_must_not_become_part_of_one() {
        let horizon = QueryHorizon::default();
        horizon.note_query(50, Some(40));
        horizon.note_query(45, None);
        assert!(horizon.is_changed_by_commit(40) && horizon.is_changed_by_commit(44));
    }

    #[test]
    fn the_commit_before_the_last_is_over_in_whichever_order_they_are_horizon_about() {
        for queries in [[(50, 40), (70, 60)], [(70, 60), (50, 40)]] {
            let horizon = QueryHorizon::default();
            for (until_ns, commit_ns) in queries {
                horizon.note_query(until_ns, Some(commit_ns));
            }
            assert!(
                horizon.is_changed_by_commit(40)
                    && !horizon.is_changed_by_commit(60)
                    && horizon.is_changed_by_commit(61)
            );
            assert!(horizon.reaches_beyond(69) && !horizon.reaches_beyond(70));
        }
    }
}
