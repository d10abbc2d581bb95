//! Parts of a commit, at most as many as can be kept and drawn.

use logtrace_common::TimeRange;
use rustc_hash::FxHashMap;

use crate::charging::Segment;

/// Limit on the parts of a commit: 64 commits with more would take megabytes.
const MOST_PARTS: usize = 1_000;

/// Returns the parts of a commit, one after another from its start. They sum to the same time, also by cause. Up to
/// [`MOST_PARTS`] they are its segments.
///
/// If a commit has more segments, near ones of the same thread and stack become one. The longest commits have the most
/// segments, so they cannot be left out. The price is order: the segments are cut into runs of equal number, as short as the
/// limit allows, and within a run a part stands where its first segment was. So each run begins at its true time, and
/// the sums of each thread, cause and stack are exact. Tried: to give the shortest parts to their neighbours; sums by cause
/// were wrong then.
pub(super) fn parts(segments: &[Segment]) -> Vec<Segment> {
    if segments.len() <= MOST_PARTS {
        return segments.to_vec();
    }
    let mut parts = segments.to_vec();
    let mut length = segments.len().div_ceil(MOST_PARTS);
    while parts.len() > MOST_PARTS && length < 2 * segments.len() {
        parts = merged(segments, length, |segment| {
            (segment.tid, segment.cause.number(), segment.frames)
        });
        length *= 2;
    }
    if parts.len() > MOST_PARTS {
        // More pairs of a thread and a stack than parts: only causes are few for sure.
        for part in &mut parts {
            part.frames = None;
        }
        parts = merged(&parts, parts.len(), |part| part.cause.number());
    }
    parts
}

/// Merges the segments with the same key in each run of `length` segments.
fn merged<K: Eq + std::hash::Hash>(
    segments: &[Segment],
    length: usize,
    key: impl Fn(&Segment) -> K,
) -> Vec<Segment> {
    let mut parts = Vec::<Segment>::new();
    let mut at_ns = segments.first().map_or(0, |first| first.range.start_ns);
    for run in segments.chunks(length) {
        let first = parts.len();
        let mut places = FxHashMap::<K, usize>::default();
        for segment in run {
            let place = *places.entry(key(segment)).or_insert(parts.len());
            match parts.get_mut(place) {
                Some(part) => part.range.end_ns += segment.range.length_ns(),
                None => parts.push(*segment),
            }
        }
        for part in &mut parts[first..] {
            part.range = TimeRange::new(at_ns, at_ns + part.range.length_ns());
            at_ns = part.range.end_ns;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use strum::IntoEnumIterator;

    use super::*;
    use crate::causes::{Cause, Wait};

    /// Returns segments from 1,000 ns on, each given by its length, its thread and its cause.
    fn segments(of: impl Iterator<Item = (u64, u32, Cause)>) -> Vec<Segment> {
        let mut at_ns = 1_000;
        let segments = of.map(|(ns, tid, cause)| {
            at_ns += ns;
            Segment {
                range: TimeRange::new(at_ns - ns, at_ns),
                tid,
                cause,
                frames: None,
            }
        });
        segments.collect()
    }

    fn sums(segments: &[Segment]) -> BTreeMap<(u32, Cause), u64> {
        let mut sums = BTreeMap::new();
        for segment in segments {
            *sums.entry((segment.tid, segment.cause)).or_default() += segment.range.length_ns();
        }
        sums
    }

    #[test]
    fn a_part_of_a_run_stands_where_its_first_segment_was() {
        let [cpu, queue] = [Wait::OnCpu, Wait::RunQueue].map(Cause::own);
        let all = segments(
            [
                (1, 7, cpu),
                (2, 7, queue),
                (3, 7, cpu),
                (4, 8, cpu),
                (5, 7, queue),
            ]
            .into_iter(),
        );
        let found = merged(&all, 3, |segment| (segment.tid, segment.cause.number()));
        assert_eq!(
            found,
            segments([(4, 7, cpu), (2, 7, queue), (4, 8, cpu), (5, 7, queue)].into_iter())
        );
    }

    #[test]
    fn as_many_as_the_limit_stay_as_they_are() {
        let all = segments((0..MOST_PARTS as u64).map(|n| (n + 1, 7, Cause::UNEXPLAINED)));
        assert_eq!(parts(&all), all);
    }

    #[test]
    fn the_parts_of_very_many_threads_keep_their_sums_by_cause() {
        let waits: Vec<Wait> = Wait::iter().collect();
        let cause = |n: usize| Cause::own(waits[n % waits.len()]);
        let all = segments((0..5_000).map(|n| (n as u64, n as u32, cause(n))));
        let found = parts(&all);
        let by_cause = |segments: &[Segment]| {
            let mut of_cause = BTreeMap::<Cause, u64>::new();
            for ((_, cause), ns) in sums(segments) {
                *of_cause.entry(cause).or_default() += ns;
            }
            of_cause
        };
        assert!(found.len() <= MOST_PARTS, "{}", found.len());
        assert_eq!(by_cause(&found), by_cause(&all));
    }

    proptest! {
        #[test]
        fn sums_are_exact_and_parts_are_gapless(
            of in proptest::collection::vec((0u64..1_000, 0u32..3, 0usize..4), 1..6_000),
        ) {
            let waits = [Wait::OnCpu, Wait::RunQueue, Wait::DeviceFlush, Wait::Unexplained];
            let all = segments(of.into_iter().map(|(ns, tid, at)| (ns, tid, Cause::own(waits[at]))));
            let found = parts(&all);
            prop_assert!(found.len() <= MOST_PARTS);
            prop_assert_eq!(sums(&found), sums(&all));
            let gapless = found.windows(2).all(|pair| pair[0].range.end_ns == pair[1].range.start_ns);
            prop_assert!(gapless);
            prop_assert_eq!(found[0].range.start_ns, all[0].range.start_ns);
        }
    }
}
