//! Commits since the last look, while a run goes on.

use std::collections::BTreeMap;

use logtrace_common::{latency_row, latency_row_start_ns};

use crate::causes::Cause;
use crate::causes::cause_index::add_ns;
use crate::charging::stack_index::StackIndex;

/// Commits of some time, with their durations and causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    /// Numbers of commits by the row of their durations.
    rows: BTreeMap<u16, u64>,
    /// Nanoseconds by cause.
    causes: BTreeMap<Cause, u64>,
}

/// The same while they are counted: tables by row and by index of the cause.
#[derive(Debug, Default)]
pub(crate) struct RecentTotals {
    rows: Vec<u64>,
    causes: Vec<u64>,
}

impl RecentTotals {
    /// Adds the last commit of `stacks`.
    pub(crate) fn add(&mut self, length_ns: u64, stacks: &StackIndex) {
        add_ns(&mut self.rows, latency_row(length_ns).into(), 1);
        for time in stacks.times() {
            add_ns(&mut self.causes, time.cause, time.ns);
        }
    }

    /// Returns the commits, whose causes have their indices in `stacks`.
    pub(crate) fn total(&self, stacks: &StackIndex) -> Recent {
        let rows = (0..).zip(self.rows.iter().copied());
        let causes = stacks.causes().iter().copied().zip(self.causes.iter().copied());
        Recent {
            rows: rows.filter(|&(_, count)| count > 0).collect(),
            causes: causes.filter(|&(_, ns)| ns > 0).collect(),
        }
    }
}

impl Recent {
    /// Adds the commits of a later time.
    pub fn merge(&mut self, later: &Self) {
        for (&row, &count) in &later.rows {
            *self.rows.entry(row).or_default() += count;
        }
        for (&cause, &ns) in &later.causes {
            *self.causes.entry(cause).or_default() += ns;
        }
    }

    /// Returns the number of commits.
    pub fn commits(&self) -> u64 {
        self.rows.values().sum()
    }

    /// Returns a duration in nanoseconds that a share of the commits, given in thousandths, did not exceed, to a sixteenth; or
    /// `None` without commits.
    pub fn quantile_ns(&self, thousandths: u64) -> Option<u64> {
        let wanted = (self.commits() * thousandths).div_ceil(1_000);
        let mut seen = 0;
        let row = self.rows.iter().find_map(|(&row, &count)| {
            seen += count;
            (seen >= wanted).then_some(row)
        })?;
        let (start_ns, end_ns) = (latency_row_start_ns(row), latency_row_start_ns(row + 1));
        Some(start_ns + (end_ns - start_ns) / 2)
    }

    /// Returns the cause with the most time, and its share from 0 to 1.
    pub fn largest_cause(&self) -> Option<(Cause, f64)> {
        let total_ns: u64 = self.causes.values().sum();
        let (&cause, &ns) = self.causes.iter().max_by_key(|&(_, &ns)| ns)?;
        Some((cause, logtrace_common::units::share(ns, total_ns)?))
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;

    use crate::causes::Wait;
    use crate::charging::Segment;

    use super::*;

    fn add((recent, stacks): &mut (RecentTotals, StackIndex), wait: Wait, length_ns: u64) {
        let segment = Segment {
            range: TimeRange::new(0, length_ns),
            tid: 1,
            cause: Cause::own(wait),
            frames: None,
        };
        stacks.sum(&[segment]);
        recent.add(length_ns, stacks);
    }

    fn total((recent, stacks): &(RecentTotals, StackIndex)) -> Recent {
        recent.total(stacks)
    }

    #[test]
    fn durations_and_the_largest_cause_are_those_of_all_parts() {
        let (mut first, mut second) = Default::default();
        for _ in 0..98 {
            add(&mut first, Wait::OnCpu, 1_000);
        }
        for _ in 0..2 {
            add(&mut second, Wait::Timer, 900_000);
        }
        let (mut first, second) = (total(&first), total(&second));
        assert_eq!(first.largest_cause().unwrap().0.wait, Wait::OnCpu);
        first.merge(&second);
        assert_eq!(first.commits(), 100);
        let near = |quantile_ns: Option<u64>, ns: u64| quantile_ns.unwrap().abs_diff(ns) * 16 <= ns;
        assert!(
            near(first.quantile_ns(500), 1_000),
            "{:?}",
            first.quantile_ns(500)
        );
        assert!(
            near(first.quantile_ns(990), 900_000),
            "{:?}",
            first.quantile_ns(990)
        );
        let (cause, share) = first.largest_cause().unwrap();
        assert_eq!(cause.wait, Wait::Timer);
        assert!((share - 1_800_000.0 / 1_898_000.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_has_no_durations_and_no_cause() {
        let nothing = Recent::default();
        assert_eq!((nothing.commits(), nothing.quantile_ns(500)), (0, None));
        assert!(nothing.largest_cause().is_none());
    }
}
