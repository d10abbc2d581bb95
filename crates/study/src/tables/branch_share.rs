//! Branches of the tree of reports and their shares of the waiting time.

use std::collections::BTreeMap;

use logtrace_attribution::cause::{Branch, Cause};
use schemars::JsonSchema;
use serde::Serialize;

use crate::tables::cause_share::nine_digits;

/// Branch of the tree of reports: a class of files, or a kind of wait outside of calls on files.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BranchShare {
    /// Name, such as `binlog` or `scheduling`.
    pub branch: String,
    /// Share of all waiting time.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Mean nanoseconds per commit, or per statement where hardly anything commits. `None` where there is neither.
    pub mean: Option<f64>,
    /// Largest part, whoever worked: the call, if there is one, and the wait.
    pub largest: String,
    /// Share of this part of all waiting time.
    #[schemars(range(min = 0, max = 1))]
    pub largest_share: f64,
}

/// Adds up the branches of so many events, the largest first.
pub(crate) fn branches(totals: &[(Cause, u64)], events: u64) -> Vec<BranchShare> {
    let mut sums = BTreeMap::<Branch, BTreeMap<String, u64>>::new();
    for &(cause, total) in totals {
        let parts = sums.entry(cause.branch()).or_default();
        *parts.entry(part(cause)).or_default() += total;
    }
    let all: u64 = totals.iter().map(|(_, total)| total).sum();
    let share = |total: u64| nine_digits(total as f64 / all.max(1) as f64);
    let branches = sums.into_iter().filter_map(|(branch, parts)| {
        let total: u64 = parts.values().sum();
        let (largest, largest_total) = parts.into_iter().max_by_key(|(_, total)| *total)?;
        Some(BranchShare {
            branch: branch.to_string(),
            share: share(total),
            mean: (events > 0).then(|| nine_digits(total as f64 / events as f64)),
            largest,
            largest_share: share(largest_total),
        })
    });
    let mut branches: Vec<BranchShare> = branches.collect();
    branches.sort_by(|one, other| other.share.total_cmp(&one.share));
    branches
}

/// Returns the name of a cause within its branch.
fn part(cause: Cause) -> String {
    match (cause.branch(), cause.io) {
        (Branch::File(_), Some((_, op))) => format!("{op} {}", cause.wait),
        (Branch::File(_) | Branch::Kind(_), _) => cause.wait.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Wait;
    use logtrace_common::FileClass;
    use logtrace_events::IoOp;

    use super::*;

    #[test]
    fn branches_sum_to_all_time_and_name_their_largest_part() {
        let io = |op, wait| Cause {
            io: Some((FileClass::Binlog, op)),
            ..Cause::own(wait)
        };
        let totals = [
            (io(IoOp::Fsync, Wait::JournalCommit), 300),
            (io(IoOp::Write, Wait::OnCpu), 100),
            (Cause::own(Wait::RunQueue), 350),
            (Cause::own(Wait::WakeUp), 250),
        ];
        let branches = branches(&totals, 10);
        let shown: Vec<String> = branches
            .iter()
            .map(|one| {
                format!(
                    "{} {} {} {}",
                    one.branch, one.share, one.largest, one.largest_share
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "scheduling 0.6 run queue 0.35",
                "binlog 0.4 fsync journal commit 0.3"
            ]
        );
        assert_eq!(branches[0].mean, Some(60.0));
    }
}
