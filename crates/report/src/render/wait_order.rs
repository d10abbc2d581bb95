//! Order of waits in pictures and legends: those of a kind beside each other.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::cause::Wait;

/// Puts waits of a kind beside each other: the kind with the longest time first, and in it the longest wait.
pub(super) fn order_by_kind<T>(waits: &mut [(Wait, T)], ns: impl Fn(&T) -> u64) {
    let mut kinds = BTreeMap::new();
    for (wait, times) in waits.iter() {
        let sum: &mut u64 = kinds.entry(wait.kind()).or_default();
        *sum = sum.saturating_add(ns(times));
    }
    waits.sort_by_key(|(wait, times)| {
        let kind = wait.kind();
        (Reverse(kinds.get(&kind).copied()), kind, Reverse(ns(times)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_of_a_kind_stand_together_the_largest_first() {
        let mut waits = [
            (Wait::RunQueue, 5),
            (Wait::DeviceFlush, 4),
            (Wait::OnCpu, 6),
            (Wait::JournalCommit, 7),
        ];
        order_by_kind(&mut waits, |&ns| ns);
        let names = waits.map(|(wait, _)| wait);
        assert_eq!(
            names,
            [
                Wait::JournalCommit,
                Wait::DeviceFlush,
                Wait::OnCpu,
                Wait::RunQueue
            ]
        );
    }
}
