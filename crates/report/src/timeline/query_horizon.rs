//! How far the questions about one thread reached, so that a record that would change an answer is noticed.

use std::cell::Cell;

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    /// It contradicts what is known, and was left out.
    Refused,
    /// Nothing that was horizon before would be answered differently now.
    Added,
    /// Something may be.
    Revised,
}

impl Push {
    /// A record that fits.
    pub(crate) fn added(is_revised: bool) -> Self {
        if is_revised { Self::Revised } else { Self::Added }
    }
}

/// What was horizon about a thread's time.
#[derive(Debug, Default)]
pub(crate) struct QueryHorizon {
    /// Before this, something was horizon about time that was not taken for part of the commit below.
    outside_ns: Cell<u64>,
    /// Before this, something was horizon about that commit.
    inside_ns: Cell<u64>,
    /// Start of the newest commit in which the thread was said to be.
    commit_ns: Cell<Option<u64>>,
}

impl QueryHorizon {
    /// Something was horizon about the time before `until_ns`, when the thread was in a commit since `commit_ns`.
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

    /// Something was horizon about the time before `until_ns`, and not, or not only, about the newest commit.
    fn outside(&self, until_ns: u64) {
        self.outside_ns.set(self.outside_ns.get().max(until_ns));
    }

    /// Whether anything was horizon.
    pub(crate) fn is_any(&self) -> bool {
        self.reaches_beyond(0)
    }

    /// Whether anything was about time after `at_ns`.
    pub(crate) fn reaches_beyond(&self, at_ns: u64) -> bool {
        at_ns < self.outside_ns.get().max(self.inside_ns.get())
    }

    /// Whether the record of a commit since `start_ns` says anything else of that time than was taken for granted.
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
        assert!(!horizon.is_any() && !horizon.reaches_beyond(0) && !horizon.is_changed_by_commit(0));
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
