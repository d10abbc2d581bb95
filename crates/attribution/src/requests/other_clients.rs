//! Commits that are not of the load.

use logtrace_events::{Request, Tid};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limit on threads whose commits are counted apart. Commits of further ones count as those of other clients: the connections
/// of the load commit from the beginning on.
const MOST_THREADS: usize = 1 << 16;

/// Commits of threads that served no request of the load: of other clients, or of the server itself, as its events and
/// replication threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherCommits {
    /// Number of commits.
    pub count: u64,
    /// Sum of their durations.
    pub total: u64,
}

/// Commits by thread, and the threads of the load.
#[derive(Debug, Default)]
pub(crate) struct OtherClients {
    by_thread: FxHashMap<Tid, OtherCommits>,
    further: OtherCommits,
    load: FxHashSet<Tid>,
    /// Whether the thread of a request is not known.
    is_unknown: bool,
}

impl OtherClients {
    /// Resets the commits; the threads of the load stay.
    pub(crate) fn begin(&mut self) {
        self.by_thread.clear();
        self.further = OtherCommits::default();
    }

    /// Counts a commit.
    pub(crate) fn push_commit(&mut self, tid: Tid, length_ns: u64) {
        let has_room = self.by_thread.len() < MOST_THREADS;
        let commits = match has_room || self.by_thread.contains_key(&tid) {
            true => self.by_thread.entry(tid).or_default(),
            false => &mut self.further,
        };
        commits.add(OtherCommits {
            count: 1,
            total: length_ns,
        });
    }

    /// Notes the thread of a request, whatever became of it.
    pub(crate) fn push_request(&mut self, request: &Request) {
        match request.thread {
            Some(tid) => {
                self.load.insert(tid);
            }
            None => self.is_unknown = true,
        }
    }

    /// Returns the commits of all other threads; `None` without a load, or if not all of its threads are known.
    pub(crate) fn total(&self) -> Option<OtherCommits> {
        if self.load.is_empty() || self.is_unknown {
            return None;
        }
        let mut sum = self.further;
        let others = self.by_thread.iter().filter(|(tid, _)| !self.load.contains(tid));
        others.for_each(|(_, &commits)| sum.add(commits));
        Some(sum)
    }
}

impl OtherCommits {
    fn add(&mut self, more: Self) {
        self.count += more.count;
        self.total += more.total;
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::Outcome;

    use super::*;

    fn request(thread: Option<Tid>) -> Request {
        Request {
            due_ns: 0,
            connection_wait_ns: 0,
            sent_ns: 0,
            attempt_ns: 0,
            done_ns: 1,
            outcome: Outcome::Done,
            retries: 0,
            thread,
        }
    }

    #[test]
    fn commits_of_threads_without_a_request_are_of_others() {
        let mut clients = OtherClients::default();
        clients.push_commit(9, 1_000);
        clients.begin();
        for (tid, ns) in [(7, 10), (9, 20), (7, 30), (9, 40), (11, 5)] {
            clients.push_commit(tid, ns);
        }
        assert_eq!(clients.total(), None, "no load");
        clients.push_request(&request(Some(7)));
        assert_eq!(clients.total(), Some(OtherCommits { count: 3, total: 65 }));
        clients.push_request(&request(None));
        assert_eq!(clients.total(), None, "a thread of the load is not known");
    }

    #[test]
    fn threads_beyond_the_limit_are_others() {
        let mut clients = OtherClients::default();
        clients.push_request(&request(Some(1)));
        for tid in 1..MOST_THREADS as u32 + 3 {
            clients.push_commit(tid, 1);
        }
        clients.push_commit(1, 1);
        let others = MOST_THREADS as u64 + 1;
        assert_eq!(clients.total().map(|sum| sum.count), Some(others));
        assert_eq!(clients.by_thread.len(), MOST_THREADS);
    }
}
