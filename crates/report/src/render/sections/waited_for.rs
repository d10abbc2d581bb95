//! Threads that commits waited for.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{OverTime, ThreadTime, ThreadWork, WaitedFor};
use logtrace_common::units;

use crate::document::{Commits, Document};
use crate::render::sections::holders::Culprit;
use crate::render::sections::session;
use crate::render::table::Table;

/// Most threads of the table.
const MOST_SHOWN: usize = 10;

/// Part of all commit time from which a session that held a lock is told: a twentieth.
const PART_OF_ALL: u64 = 20;

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
        sentence: sentence(document, over_time)?,
        table: table(commits, found, &document.thread_names(over_time))?,
    })
}

/// Returns the share of the commit time that was a wait for other threads, with the thread of the longest time, or `None` if
/// commits waited for no other thread.
pub(super) fn sentence(document: &Document, over_time: &OverTime) -> Option<String> {
    let commits = document.commits.as_ref()?;
    let found = over_time.waited_for.as_ref()?;
    let most = found.threads.first()?;
    let share = |ns| units::whole_percent(ns, commits.total);
    Some(format!(
        "Commits waited for other threads in {} of their time, most for {}: {}{}.",
        share(found.total_ns()),
        name(most, &document.thread_names(over_time)),
        share(most.ns),
        lock(most).map_or_else(String::new, |lock| format!(", for {lock}"))
    ))
}

/// Returns the session that held a lock for which commits waited in much of their time, or `None` if the thread that they waited for
/// most held none.
pub(super) fn lock_holder(document: &Document, over_time: &OverTime) -> Option<Culprit> {
    let commits = document.commits.as_ref()?;
    let holder = over_time.waited_for.as_ref()?.threads.first()?;
    let of_lock = held_lock(holder)?;
    if holder.lock < commits.total / PART_OF_ALL {
        return None;
    }
    let idle = match is_most(holder.idle, holder.lock) {
        true => ", while its client was idle",
        false => "",
    };
    let waited = match holder.lock_commits {
        1 => format!("A commit waited {}", units::duration(holder.longest_lock)),
        commits => format!(
            "{} commits waited {} together, one of them {},",
            units::count(commits),
            units::duration(holder.lock),
            units::duration(holder.longest_lock)
        ),
    };
    Some(Culprit {
        ns: holder.lock,
        sentence: format!(
            "{waited} for the {} that {} held{idle}.",
            of_lock.words,
            session::with_statement(document, holder.tid, None)
        ),
    })
}

fn table(commits: &Commits, found: &WaitedFor, names: &BTreeMap<u32, String>) -> Option<Table> {
    let header = [
        "thread",
        "what it was",
        "what it did",
        "commits",
        "mean of all commits",
        "share",
    ];
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
            did(thread),
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
            String::new(),
        ];
        words.into_iter().chain(time(others_ns)).collect()
    });
    Table::new(3, header, threads.chain(others))
}

/// Returns the id of a thread, with its name where the kernel has one.
fn name(thread: &ThreadTime, names: &BTreeMap<u32, String>) -> String {
    match names.get(&thread.tid) {
        Some(name) => format!("thread {} ({name})", thread.tid),
        None => format!("thread {}", thread.tid),
    }
}

/// Returns the lock that a thread held, if it is most of what commits waited for it.
fn held_lock(thread: &ThreadTime) -> Option<&ThreadWork> {
    thread.did.first().filter(|_| is_most(thread.lock, thread.ns))
}

/// Returns the words for the lock that a thread held.
fn lock(thread: &ThreadTime) -> Option<String> {
    let of_lock = held_lock(thread)?;
    let idle = match is_most(thread.idle, thread.lock) {
        true => " while its client was idle",
        false => "",
    };
    Some(format!("a {} that it held{idle}", of_lock.words))
}

/// Returns what a thread did most while commits waited for it.
fn did(thread: &ThreadTime) -> String {
    let longest = thread.did.first();
    let longest = longest.map(|work| {
        let share = units::whole_percent(work.ns, thread.ns);
        format!("{} {share}", work.words)
    });
    lock(thread).or(longest).unwrap_or_default()
}

fn is_most(part: u64, whole: u64) -> bool {
    part > whole / 2
}

fn roles(thread: &ThreadTime) -> String {
    let roles = thread.who.iter().map(ToString::to_string);
    roles.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Server;
    use logtrace_attribution::breakdown::{Holders, SessionRow};
    use logtrace_attribution::cause::Who;
    use logtrace_common::Flavor;

    fn work(words: &str, ns: u64) -> ThreadWork {
        ThreadWork {
            words: words.to_owned(),
            ns,
        }
    }

    fn document(commits: Commits) -> Document {
        let server = Server::sample(Flavor::MySql, &[]);
        Document {
            commits: Some(commits),
            ..Document::new(String::new(), server)
        }
    }

    fn found(threads: u32) -> WaitedFor {
        let threads = (0..threads).map(|number| ThreadTime {
            tid: 100 + number,
            who: [Who::Background, Who::Leader].into(),
            ns: 500 - 10 * u64::from(number),
            commits: 5,
            did: vec![work("redo fsync device flush", 400)],
            ..ThreadTime::default()
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
        let mut document = document(commits);
        let mut over_time = OverTime {
            waited_for: Some(found(2)),
            threads: BTreeMap::from([(100, "ib_log_writer".to_owned())]),
            ..OverTime::default()
        };
        assert_eq!(
            sentence(&document, &over_time).unwrap(),
            "Commits waited for other threads in 11 % of their time, most for thread 100 (ib_log_writer): 5 %."
        );
        document.holders = Some(Holders {
            sessions: vec![SessionRow {
                thread: 100,
                connection: 17,
                user: "root".to_owned(),
                host: "localhost".to_owned(),
                statement: Some("FLUSH TABLES WITH READ LOCK".to_owned()),
            }],
            ..Holders::default()
        });
        let most = &mut over_time.waited_for.as_mut().unwrap().threads[0];
        (most.lock, most.lock_commits, most.longest_lock, most.idle) = (490, 4, 300, 480);
        most.did = vec![work("commit lock", 490)];
        assert_eq!(
            sentence(&document, &over_time).unwrap(),
            "Commits waited for other threads in 11 % of their time, most for thread 100 (connection 17, root@localhost): 5 %, \
             for a commit lock that it held while its client was idle."
        );
        document.commits.as_mut().unwrap().total = 9_800;
        assert_eq!(
            lock_holder(&document, &over_time).unwrap().sentence,
            "4 commits waited 490 ns together, one of them 300 ns, for the commit lock that connection 17, root@localhost \
             (FLUSH TABLES WITH READ LOCK) held, while its client was idle."
        );
        let most = &mut over_time.waited_for.as_mut().unwrap().threads[0];
        (most.lock_commits, most.idle) = (1, 100);
        assert_eq!(
            lock_holder(&document, &over_time).unwrap().sentence,
            "A commit waited 300 ns for the commit lock that connection 17, root@localhost (FLUSH TABLES WITH READ LOCK) held."
        );
        document.commits.as_mut().unwrap().total = 9_820;
        assert_eq!(lock_holder(&document, &over_time), None);
        over_time.waited_for = Some(WaitedFor::default());
        assert_eq!(sentence(&document, &over_time), None);
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
                "thread 100 (ib_log_writer) | leader, background | redo fsync device flush 80 % | 50.0 % | 50 ns | 5.0 %",
                "thread 101 | leader, background | redo fsync device flush 82 % | 50.0 % | 49 ns | 4.9 %",
                "1,000 others |  |  |  | 10 ns | 1.0 %",
            ]
        );
        let many = rows(12);
        assert_eq!(many.len(), MOST_SHOWN + 1);
        assert_eq!(many[MOST_SHOWN], "1,002 others |  |  |  | 89 ns | 8.9 %");
        assert_eq!(table(&commits, &WaitedFor::default(), &names), None);
    }
}
