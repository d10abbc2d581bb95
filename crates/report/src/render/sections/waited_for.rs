//! Threads that commits waited for.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{OverTime, ThreadTime, WaitedFor};
use logtrace_common::units;

use crate::document::{Commits, Document};
use crate::render::table::Table;

/// Most threads of the table.
const MOST_SHOWN: usize = 8;

/// Threads that commits waited for.
pub(in crate::render) struct WaitedForSection {
    /// Share of the commit time, in a sentence.
    pub(in crate::render) sentence: String,
    /// Threads of the longest times.
    pub(in crate::render) table: Table,
}

/// Returns the threads, or `None` if commits waited for no other thread.
pub(in crate::render) fn section(document: &Document, over_time: &OverTime) -> Option<WaitedForSection> {
    let commits = document.commits.as_ref()?;
    let found = over_time.waited_for.as_ref()?;
    Some(WaitedForSection {
        sentence: sentence(commits, over_time)?,
        table: table(commits, found, &over_time.threads)?,
    })
}

/// Returns the share of the commit time that was a wait for other threads, with the thread of the longest time, or `None` if
/// commits waited for no other thread.
pub(super) fn sentence(commits: &Commits, over_time: &OverTime) -> Option<String> {
    let found = over_time.waited_for.as_ref()?;
    let most = found.threads.first()?;
    let share = |ns| units::whole_percent(ns, commits.total);
    Some(format!(
        "Commits waited for other threads in {} of their time, most for {}: {}.",
        share(found.total_ns()),
        name(most, &over_time.threads),
        share(most.ns)
    ))
}

fn table(commits: &Commits, found: &WaitedFor, names: &BTreeMap<u32, String>) -> Option<Table> {
    let header = ["thread", "what it was", "commits", "mean of all commits", "share"];
    let time = |ns| {
        [
            units::mean_duration(ns, commits.count),
            units::percent(ns, commits.total),
        ]
    };
    let (shown, left) = found.threads.split_at(found.threads.len().min(MOST_SHOWN));
    let threads = shown.iter().map(|thread| {
        let words = [
            name(thread, names),
            roles(thread),
            units::percent(thread.commits, commits.count),
        ];
        words.into_iter().chain(time(thread.ns)).collect()
    });
    let others = found.other_threads.saturating_add(left.len() as u64);
    let others_ns = units::sum(left.iter().map(|thread| thread.ns)).saturating_add(found.other_ns);
    let others = (others > 0).then(|| {
        let words = [
            format!("{} others", units::count(others)),
            String::new(),
            String::new(),
        ];
        words.into_iter().chain(time(others_ns)).collect()
    });
    Table::new(2, header, threads.chain(others))
}

/// Returns the id of a thread, with its name where the kernel has one.
fn name(thread: &ThreadTime, names: &BTreeMap<u32, String>) -> String {
    match names.get(&thread.tid) {
        Some(name) => format!("thread {} ({name})", thread.tid),
        None => format!("thread {}", thread.tid),
    }
}

fn roles(thread: &ThreadTime) -> String {
    let roles = thread.who.iter().map(ToString::to_string);
    roles.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::cause::Who;

    fn found(threads: u32) -> WaitedFor {
        let threads = (0..threads).map(|number| ThreadTime {
            tid: 100 + number,
            who: [Who::Background, Who::Leader].into(),
            ns: 500 - 10 * u64::from(number),
            commits: 5,
        });
        WaitedFor {
            threads: threads.collect(),
            other_threads: 1_000,
            other_ns: 100,
        }
    }

    #[test]
    fn the_sentence_names_the_thread_of_the_longest_time() {
        let commits = Commits {
            count: 10,
            total: 10_000,
            ..Commits::default()
        };
        let mut over_time = OverTime {
            waited_for: Some(found(2)),
            threads: BTreeMap::from([(100, "ib_log_writer".to_owned())]),
            ..OverTime::default()
        };
        assert_eq!(
            sentence(&commits, &over_time).unwrap(),
            "Commits waited for other threads in 11 % of their time, most for thread 100 (ib_log_writer): 5 %."
        );
        over_time.waited_for = Some(WaitedFor::default());
        assert_eq!(sentence(&commits, &over_time), None);
    }

    #[test]
    fn threads_are_named_and_the_rest_is_one_row() {
        let commits = Commits {
            count: 10,
            total: 10_000,
            ..Commits::default()
        };
        let names = BTreeMap::from([(100, "ib_log_writer".to_owned())]);
        let rows = |threads| {
            let table = table(&commits, &found(threads), &names).unwrap();
            table.rows.iter().map(|row| row.join(" | ")).collect::<Vec<_>>()
        };
        assert_eq!(
            rows(2),
            [
                "thread 100 (ib_log_writer) | leader, background | 50.0 % | 50 ns | 5.0 %",
                "thread 101 | leader, background | 50.0 % | 49 ns | 4.9 %",
                "1,000 others |  |  | 10 ns | 1.0 %",
            ]
        );
        let many = rows(10);
        assert_eq!(many.len(), MOST_SHOWN + 1);
        assert_eq!(many[MOST_SHOWN], "1,002 others |  |  | 93 ns | 9.3 %");
        assert_eq!(table(&commits, &WaitedFor::default(), &names), None);
    }
}
