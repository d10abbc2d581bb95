//! Transactions of one thread.

use std::collections::VecDeque;

use super::transaction::HolderTransaction;

/// Transactions of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadTransactions {
    pub(super) open: HolderTransaction,
    /// Last ones that committed, the newest last.
    pub(super) ended: VecDeque<HolderTransaction>,
    pub(super) thread_ended_ns: Option<u64>,
}

impl ThreadTransactions {
    /// Returns the transaction to which a time belongs, unless it is not held any more.
    pub(super) fn at(&self, at_ns: u64) -> Option<&HolderTransaction> {
        let place = self.ended.len() - self.ended_after(at_ns);
        let found = self.ended.get(place).unwrap_or(&self.open);
        (found.since_ns <= at_ns).then_some(found)
    }

    /// Returns the same, to be changed.
    pub(super) fn at_mut(&mut self, at_ns: u64) -> Option<&mut HolderTransaction> {
        let place = self.ended.len() - self.ended_after(at_ns);
        let found = self.ended.get_mut(place).unwrap_or(&mut self.open);
        (found.since_ns <= at_ns).then_some(found)
    }

    /// Returns the number of the last transactions that ended after `at_ns`.
    fn ended_after(&self, at_ns: u64) -> usize {
        let newest = self.ended.iter().rev();
        newest.take_while(|one| at_ns < one.commit.end_ns).count()
    }

    /// Returns when the thread was last seen at work.
    pub(super) fn last_ns(&self) -> u64 {
        let ended = self.ended.back().map_or(0, |one| one.commit.end_ns);
        let open = &self.open;
        ended.max(open.cached_since_ns.unwrap_or(0)).max(open.request_ns)
    }
}
