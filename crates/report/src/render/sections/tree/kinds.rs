//! Commit time by kind of wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_attribution::cause::{Cause, WaitKind};
use strum::IntoEnumIterator;

use crate::document::Document;
use crate::render::sections::tree::percents::percents;

/// Returns the kinds of the commit time with their shares in percent, which sum to 100, or nothing without commits.
pub(crate) fn kind_shares(document: &Document) -> Vec<(WaitKind, u64)> {
    let shares = shares(document.causes.iter().map(|row| (row.cause, row.total)));
    // Without time, not even the unexplained share is known.
    let sum: u64 = shares.iter().map(|&(_, percent)| percent).sum();
    if sum > 0 { shares } else { Vec::new() }
}

/// Returns the line of the commit time by kind, or `None` without commits.
pub(crate) fn kinds(document: &Document) -> Option<String> {
    let shares = kind_shares(document);
    let words = shares.iter().enumerate().map(|(at, (kind, percent))| match at {
        0 => format!("{kind} {percent} %"),
        _ => format!("{kind} {percent}"),
    });
    (!shares.is_empty()).then(|| format!("by kind: {}", words.collect::<Vec<_>>().join(", ")))
}

/// Returns the kinds of these times with their shares, which sum to 100: the largest first, those of a whole percent alone, and
/// at the end what is unexplained, whatever it is.
fn shares(times: impl Iterator<Item = (Cause, u64)>) -> Vec<(WaitKind, u64)> {
    let mut sums: BTreeMap<WaitKind, u64> = WaitKind::iter().map(|kind| (kind, 0)).collect();
    for (cause, ns) in times {
        let sum = sums.entry(cause.wait.kind()).or_default();
        *sum = sum.saturating_add(ns);
    }
    let parts: Vec<u64> = sums.values().copied().collect();
    let shares = sums.into_keys().zip(percents(&parts, 100));
    let mut shares: Vec<(WaitKind, u64)> = shares
        .filter(|&(kind, percent)| percent > 0 || kind == WaitKind::Unexplained)
        .collect();
    shares.sort_by_key(|&(kind, percent)| (kind == WaitKind::Unexplained, Reverse(percent)));
    shares
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Wait;

    use super::*;

    #[test]
    fn what_is_unexplained_comes_last_and_is_said_even_if_it_is_nothing() {
        let times = |of: &[(Wait, u64)]| {
            let of: Vec<_> = of.iter().map(|&(wait, ns)| (Cause::own(wait), ns)).collect();
            shares(of.into_iter())
        };
        assert_eq!(
            times(&[(Wait::OnCpu, 30), (Wait::DeviceFlush, 40), (Wait::DeviceIo, 30)]),
            [
                (WaitKind::Storage, 70),
                (WaitKind::Cpu, 30),
                (WaitKind::Unexplained, 0)
            ]
        );
        assert_eq!(
            times(&[(Wait::RowLock, 1), (Wait::Unexplained, 99)]),
            [(WaitKind::Transactions, 1), (WaitKind::Unexplained, 99)]
        );
    }
}
