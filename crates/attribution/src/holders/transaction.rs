//! Transaction of one thread: what it wrote, for whom, and who waited for it.

use logtrace_common::TimeRange;
use logtrace_events::{Member, Tid};

use super::document::TransactionRow;

/// Bytes by which a cache in a file may exceed what was written to the binlog, besides an eighth: the rest of its last
/// buffer.
const SLACK_BYTES: u64 = 64 << 10;

/// Wait of one commit from which the transaction that it waited for is named.
pub(super) const LONG_NS: u64 = 50_000_000;

/// Transaction, from the end of the one before on the same thread.
#[derive(Clone, Debug, Default)]
pub(super) struct HolderTransaction {
    /// Its commit; empty while it goes on.
    pub(super) commit: TimeRange,
    /// End of the transaction before it.
    pub(super) since_ns: u64,
    /// Start of its first known work.
    pub(super) start_ns: u64,
    /// Its bytes in the binlog and the number of transactions that they are of, known at its end.
    pub(super) size: Option<(u64, u64)>,
    /// Bytes of its cache of the binlog that went to a file, and when that began. The file may be that of a sort instead.
    pub(super) cache_bytes: u64,
    pub(super) cached_since_ns: Option<u64>,
    /// Bytes that its thread wrote to the binlog, for all of its group.
    pub(super) written: u64,
    /// Start of the request in which the thread wrote them.
    pub(super) request_ns: u64,
    /// Thread that wrote the transaction to the binlog, if it was another one, and when it took it.
    pub(super) led_by: Option<(Tid, u64)>,
    pub(super) group: LedGroup,
    /// Thread of a large transaction whose bytes these are, with its cache, where the server states no groups.
    pub(super) writes_for: Option<(Tid, u64)>,
    /// Thread of a large transaction that this one made durable.
    pub(super) syncs_for: Option<Tid>,
    pub(super) held: Waiters,
    /// Bytes from which its name is wanted again.
    pub(super) named_from_bytes: u64,
}

/// Group of commits that a thread writes to the binlog.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LedGroup {
    leader_commit_ns: Option<u64>,
    /// Number of its members, and of those with a cache in a file.
    members: u64,
    cached: u64,
    /// Bytes of these caches, without that of the leader.
    cache_bytes: u64,
    /// Member with the largest cache.
    largest: Option<(Tid, u64)>,
}

/// Waits of other commits for a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiters {
    pub(super) ns: u64,
    pub(super) commits: u64,
    pub(super) longest_ns: u64,
    /// Number of the last commit that waited, and its wait so far.
    last_commit: u64,
    last_ns: u64,
}

impl Waiters {
    /// Adds a wait of the commit with this number, and returns all of its wait.
    pub(super) fn add(&mut self, commit: u64, ns: u64) -> u64 {
        if self.last_commit != commit {
            self.last_commit = commit;
            self.last_ns = 0;
            self.commits += 1;
        }
        self.ns += ns;
        self.last_ns += ns;
        self.longest_ns = self.longest_ns.max(self.last_ns);
        self.last_ns
    }

    /// Does the same. Returns whether this is the first long wait.
    pub(super) fn becomes_long(&mut self, commit: u64, ns: u64) -> bool {
        let before_ns = self.longest_ns;
        ns > 0 && self.add(commit, ns) >= LONG_NS && before_ns < LONG_NS
    }
}

impl LedGroup {
    /// Returns whether the server stated a member.
    pub(super) fn is_stated(&self) -> bool {
        self.members > 0
    }

    /// Adds a member with a cache of so many bytes in a file. Returns whether it is the first of a new group.
    pub(super) fn add(&mut self, member: &Member, cache_bytes: u64) -> bool {
        let is_new = self.members == 0 || self.leader_commit_ns != member.leader_commit_ns;
        if is_new {
            *self = Self {
                leader_commit_ns: member.leader_commit_ns,
                ..Self::default()
            };
        }
        self.members += 1;
        if cache_bytes > 0 && member.tid != member.leader {
            self.cached += 1;
            self.cache_bytes = self.cache_bytes.saturating_add(cache_bytes);
            if self.largest.is_none_or(|(_, bytes)| bytes < cache_bytes) {
                self.largest = Some((member.tid, cache_bytes));
            }
        }
        is_new
    }
}

impl HolderTransaction {
    /// Returns the thread whose transaction this one's thread mostly worked for in its commit; `None` for its own.
    pub(super) fn works_for(&self) -> Option<Tid> {
        let largest = self.group.largest.filter(|&(_, bytes)| self.is_mostly(bytes));
        let written_for = largest.or(self.writes_for).map(|(tid, _)| tid);
        written_for.or(self.syncs_for)
    }

    /// Returns whether most of what the thread wrote to the binlog can be a cache of so many bytes.
    pub(super) fn is_mostly(&self, cache_bytes: u64) -> bool {
        is_cache_of(cache_bytes, self.written) && cache_bytes.saturating_mul(2) >= self.written
    }

    /// Returns the bytes of the transaction in the binlog at its end, and the number of transactions that they are of. `written_by_leader`
    /// are those of its whole group, if another thread wrote it and that is known.
    pub(super) fn size_at_end(&self, written_by_leader: Option<u64>) -> Option<(u64, u64)> {
        if self.written == 0 {
            let is_its = |written| self.cache_bytes > 0 && is_cache_of(self.cache_bytes, written);
            return written_by_leader
                .is_some_and(is_its)
                .then_some((self.cache_bytes, 1));
        }
        if let Some((_, cache_bytes)) = self.writes_for {
            return Some((self.written.saturating_sub(cache_bytes), 1));
        }
        let LedGroup {
            members,
            cached,
            cache_bytes,
            ..
        } = self.group;
        if members <= 1 {
            return Some((self.written, 1));
        }
        if self.cache_bytes > 0 && is_cache_of(self.cache_bytes, self.written) {
            return Some((self.cache_bytes, 1));
        }
        let is_told_apart = is_cache_of(cache_bytes, self.written);
        Some(match is_told_apart {
            true => (self.written.saturating_sub(cache_bytes), members - cached),
            false => (self.written, members),
        })
    }

    /// Returns the row of a transaction that has committed.
    pub(super) fn row(&self, thread: Tid, window: TimeRange) -> TransactionRow {
        let size = self.size;
        TransactionRow {
            thread,
            end: self.commit.end_ns.saturating_sub(window.start_ns),
            ns: self.commit.end_ns.saturating_sub(self.start_ns),
            commit: self.commit.length_ns(),
            bytes: size.map(|(bytes, _)| bytes),
            together: size.map_or(1, |(_, together)| together),
            commits: self.held.commits,
            waited: self.held.ns,
            longest: self.held.longest_ns,
            session: None,
        }
    }
}

/// Returns whether a file of so many bytes can be a cache of what was written to the binlog. That of a sort may be larger.
fn is_cache_of(cache_bytes: u64, written: u64) -> bool {
    cache_bytes <= written.saturating_add(written / 8).saturating_add(SLACK_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn led(written: u64, caches: &[(Tid, u64)]) -> HolderTransaction {
        let mut led = HolderTransaction {
            written,
            ..HolderTransaction::default()
        };
        for &(tid, bytes) in caches {
            let member = Member {
                tid,
                leader: 1,
                leader_commit_ns: Some(5),
                entered_ns: 6,
                at_ns: 7,
            };
            led.group.add(&member, bytes);
        }
        led
    }

    #[test]
    fn a_transaction_alone_has_all_that_its_thread_wrote() {
        assert_eq!(led(700, &[(1, 0)]).size_at_end(None), Some((700, 1)));
        assert_eq!(led(700, &[]).size_at_end(None), Some((700, 1)));
        assert_eq!(HolderTransaction::default().size_at_end(None), None);
    }

    #[test]
    fn a_large_member_is_told_apart_by_its_cache() {
        let leader = led(20 * MIB + 1_200, &[(1, 0), (2, 20 * MIB), (3, 0)]);
        assert_eq!(leader.size_at_end(None), Some((1_200, 2)));
        assert_eq!(leader.works_for(), Some(2));
        let member = HolderTransaction {
            cache_bytes: 20 * MIB,
            ..HolderTransaction::default()
        };
        assert_eq!(member.size_at_end(Some(20 * MIB + 1_200)), Some((20 * MIB, 1)));
        assert_eq!(member.size_at_end(None), None, "the file may be that of a sort");
    }

    #[test]
    fn the_file_of_a_sort_is_no_cache() {
        let sorted = HolderTransaction {
            cache_bytes: 20 * MIB,
            ..HolderTransaction::default()
        };
        assert_eq!(sorted.size_at_end(Some(1_200)), None);
        let leader = led(1_200, &[(1, 0), (2, 20 * MIB)]);
        assert_eq!(
            (leader.size_at_end(None), leader.works_for()),
            (Some((1_200, 2)), None)
        );
    }

    #[test]
    fn a_large_leader_is_told_apart_too_and_works_for_itself() {
        let mut leader = led(20 * MIB, &[(1, 19 * MIB), (2, 0)]);
        leader.cache_bytes = 19 * MIB;
        assert_eq!(
            (leader.size_at_end(None), leader.works_for()),
            (Some((19 * MIB, 1)), None)
        );
    }

    #[test]
    fn a_new_group_forgets_the_one_before() {
        let mut leader = led(0, &[(1, 0), (2, 20 * MIB)]);
        let member = Member {
            tid: 1,
            leader: 1,
            leader_commit_ns: Some(50),
            entered_ns: 60,
            at_ns: 70,
        };
        assert!(leader.group.add(&member, 0));
        assert!(!leader.group.add(&Member { tid: 2, ..member }, 0));
        assert_eq!((leader.group.members, leader.group.largest), (2, None));
    }

    #[test]
    fn each_commit_counts_once() {
        let mut held = Waiters::default();
        assert_eq!(
            [(1, 5), (1, 7), (2, 3)].map(|(commit, ns)| held.add(commit, ns)),
            [5, 12, 3]
        );
        assert_eq!((held.ns, held.commits, held.longest_ns), (15, 2, 12));
    }
}
