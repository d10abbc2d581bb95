//! Estimate of how long commits would take without one of their waits, or if it were twice as fast.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::cause::Wait;
use logtrace_common::units;

use crate::document::{CauseRow, Commits, Document};
use crate::render::table::Table;

/// Most waits of the table.
const MOST_WAITS: usize = 5;

/// Share of the commit time below which a wait is left out: nobody would change anything for it.
const LEAST_SHARE: f64 = 0.02;

/// Nanoseconds of a wait in all commits, and in the slowest 1 %.
#[derive(Clone, Copy, Debug, Default)]
struct WaitTime {
    all: u64,
    slowest: u64,
}

/// Returns two rows for each of the largest waits, whoever worked on whichever file: one of all commits, one of the slowest.
/// `None` without commits.
pub(crate) fn table(document: &Document) -> Option<Table> {
    of(document.commits.as_ref()?, &document.causes)
}

fn of(commits: &Commits, causes: &[CauseRow]) -> Option<Table> {
    let mut times = BTreeMap::<Wait, WaitTime>::new();
    for row in causes {
        let time = times.entry(row.cause.wait).or_default();
        time.all = time.all.saturating_add(row.total);
        time.slowest = time.slowest.saturating_add(row.slowest);
    }
    times.remove(&Wait::Unexplained);
    let mut times: Vec<(Wait, WaitTime)> = times.into_iter().collect();
    times.retain(|(_, time)| units::share(time.all, commits.total).is_some_and(|share| share >= LEAST_SHARE));
    times.sort_by_key(|&(_, time)| Reverse(time.all));
    times.truncate(MOST_WAITS);
    let header = ["wait", "commits", "twice as fast", "without it"];
    let rows = times
        .into_iter()
        .flat_map(|(wait, time)| cells(wait, time, commits));
    Table::new(2, header, rows)
}

/// Returns how long commits take now, or `None` without commits.
pub(crate) fn now(document: &Document) -> Option<String> {
    let commits = document.commits.as_ref()?;
    let [mean, slowest] = means(commits).map(|(total, count)| units::mean_duration(total, count));
    Some(format!(
        "All commits take {mean} on average, the slowest 1 % take {slowest}."
    ))
}

/// Returns the times of all commits and of the slowest 1 %, with their numbers.
fn means(commits: &Commits) -> [(u64, u64); 2] {
    [
        (commits.total, commits.count),
        (commits.slowest_total, commits.slowest_count),
    ]
}

fn cells(wait: Wait, time: WaitTime, commits: &Commits) -> [Vec<String>; 2] {
    let [all, slowest] = means(commits);
    let row = |wait: String, of: &str, part: u64, (total, count): (u64, u64)| {
        let less = |part| less(total, part, |total| units::mean_duration(total, count));
        vec![wait, of.to_owned(), less(part / 2), less(part)]
    };
    [
        row(wait.to_string(), "all", time.all, all),
        row(String::new(), "slowest 1 %", time.slowest, slowest),
    ]
}

/// Returns the mean without a part of the total, and the share of that part, if it is not next to nothing.
fn less(total: u64, part: u64, mean: impl Fn(u64) -> String) -> String {
    let share = units::whole_percent(part.min(total), total);
    match share.as_str() {
        "0 %" => "the same".to_owned(),
        share => format!("{} (-{share})", mean(total.saturating_sub(part))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::cause::{Cause, Who};

    fn row(who: Who, wait: Wait, total: u64, slowest: u64) -> CauseRow {
        let cause = Cause {
            who,
            ..Cause::own(wait)
        };
        CauseRow {
            cause,
            total,
            slowest,
            commits: 1,
        }
    }

    #[test]
    fn a_wait_is_listed_once_whoever_worked_and_small_ones_are_left_out() {
        let commits = Commits {
            count: 10,
            total: 10_000,
            slowest_count: 1,
            slowest_total: 3_000,
            ..Commits::default()
        };
        let causes = [
            row(Who::Own, Wait::DeviceFlush, 3_000, 1_000),
            row(Who::Leader, Wait::DeviceFlush, 3_000, 500),
            row(Who::Own, Wait::OnCpu, 3_900, 5),
            row(Who::Own, Wait::Timer, 100, 0),
        ];
        let table = of(&commits, &causes).unwrap();
        let rows: Vec<_> = table.rows.iter().map(|row| row.join(", ")).collect();
        assert_eq!(
            rows,
            [
                "device flush, all, 700 ns (-30 %), 400 ns (-60 %)",
                ", slowest 1 %, 2.25 us (-25 %), 1.50 us (-50 %)",
                "on CPU, all, 805 ns (-20 %), 610 ns (-39 %)",
                ", slowest 1 %, the same, the same",
            ]
        );
        assert_eq!(of(&Commits::default(), &[]), None);
    }
}
