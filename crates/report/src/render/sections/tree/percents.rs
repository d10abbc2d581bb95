//! Shares in whole percent that sum to the whole.

use std::cmp::Reverse;

use logtrace_attribution::cause::Cause;
use logtrace_common::units;

use crate::render::sections::tree::node::Node;

/// Returns the parts of a node with their shares, which sum to that of the node.
pub(super) fn with_percents(node: &Node, percent: u64) -> Vec<(&Node, u64)> {
    let parts: Vec<u64> = node.parts.iter().map(|part| part.ns).collect();
    node.parts.iter().zip(percents(&parts, percent)).collect()
}

/// Returns the share of the chosen causes, which took `ns`, in percent: the sum of the shares that the tree shows for them. Where
/// many small ones make that wrong by a percent and more, it is the exact share, rounded.
pub(crate) fn percent_of(whole: &Node, ns: u64, is_chosen: impl Fn(Cause) -> bool) -> u64 {
    let shown = shown(whole, 100, &is_chosen);
    let exact = 100.0 * units::share(ns, whole.ns).unwrap_or(0.0);
    if (units::real(shown) - exact).abs() < 1.0 {
        shown
    } else {
        units::whole(exact)
    }
}

/// Returns the percents of the chosen causes in a node.
fn shown(node: &Node, percent: u64, is_chosen: &impl Fn(Cause) -> bool) -> u64 {
    if node.cause.is_some_and(is_chosen) {
        return percent;
    }
    let parts = with_percents(node, percent).into_iter();
    parts.map(|(part, percent)| shown(part, percent, is_chosen)).sum()
}

/// Divides so many percent by the sizes of the parts, so that whole numbers sum to it: those with the largest remainders are
/// rounded up (Hamilton's method).
pub(super) fn percents(parts: &[u64], whole: u64) -> Vec<u64> {
    let sum: u128 = parts.iter().map(|&part| u128::from(part)).sum();
    if sum == 0 {
        return vec![0; parts.len()];
    }
    let scaled = |part: u64| u128::from(part) * u128::from(whole);
    let mut shares: Vec<u64> = parts
        .iter()
        .map(|&part| u64::try_from(scaled(part) / sum).unwrap_or(whole))
        .collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by_key(|&at| Reverse(scaled(parts[at]) % sum));
    let missing = whole.saturating_sub(shares.iter().sum());
    for at in by_remainder.into_iter().zip(0..missing).map(|(at, _)| at) {
        shares[at] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_remainders_are_rounded_up() {
        assert_eq!(percents(&[1, 1, 1], 100), [34, 33, 33]);
        assert_eq!(percents(&[664, 333, 3], 100), [67, 33, 0]);
        assert_eq!(percents(&[5, 5], 7), [4, 3]);
        assert_eq!(percents(&[0, 0], 7), [0, 0]);
    }

    proptest! {
        #[test]
        fn they_sum_to_the_whole_and_are_less_than_one_from_the_exact_share(
            parts in proptest::collection::vec(0u64..=u64::MAX, 1..20),
            whole in 0u64..=100,
        ) {
            let sum: u128 = parts.iter().map(|&part| u128::from(part)).sum();
            prop_assume!(sum > 0);
            let shares = percents(&parts, whole);
            prop_assert_eq!(shares.iter().sum::<u64>(), whole);
            for (&part, &share) in parts.iter().zip(&shares) {
                let exact = u128::from(part) * u128::from(whole);
                prop_assert!((u128::from(share) * sum).abs_diff(exact) < sum);
            }
        }
    }
}
