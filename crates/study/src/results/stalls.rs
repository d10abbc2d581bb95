//! Stalls: times in which throughput broke down, with the causes of the waiting commits.

use logtrace_attribution::cause::Cause;
use logtrace_common::units;
use schemars::JsonSchema;
use serde::Serialize;

use crate::results::stall_kind::StallKind;
use crate::results::window_series::{WindowSeries, WindowSlice};

/// Share of the median slice below which a slice belongs to a stall.
const FAR_BELOW: f64 = 0.25;
/// Length of the shortest stall.
const SHORTEST_NS: u64 = 200_000_000;
/// Smallest number of requests in the median slice. With fewer, a slice without requests is chance: slices are merged until
/// they have as many.
const ENOUGH_REQUESTS: f64 = 20.0;
/// Smallest number of slices that show a usual throughput.
const FEWEST_SLICES: usize = 8;

/// Time in which throughput was far below the median of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stall {
    /// Begin, in nanoseconds from the start of the window.
    #[serde(rename = "at")]
    pub at_ns: u64,
    /// Length in nanoseconds.
    #[serde(rename = "length")]
    pub length_ns: u64,
    /// Requests that were done during the stall.
    pub done: u64,
    /// Requests that are usually done in a time of this length.
    pub usual: u64,
    /// Commits that were under way during the stall, or `None` if not all of the window was traced.
    pub commits: Option<u64>,
    /// Kind of at least half of their waiting time. `None` if no kind has half of it, or if nothing was traced.
    pub kind: Option<StallKind>,
    /// Causes of their waiting time, in nanoseconds, the largest first.
    #[serde(skip)]
    pub causes: Vec<(Cause, u64)>,
}

/// Returns the stalls of a window, in the order of time: at least 200 ms of slices that each have less than a quarter of the
/// requests of the median slice. There are none if the load is very low or the window is too short.
pub fn stalls(series: &WindowSeries) -> Vec<Stall> {
    let Some((slices, slice_ns, median)) = merged_slices(series) else {
        return Vec::new();
    };
    let is_low = |slice: &WindowSlice| (slice.done as f64) < FAR_BELOW * median;
    let (mut stalls, mut at) = (Vec::new(), 0);
    while at < slices.len() {
        let low = slices[at..].iter().take_while(|slice| is_low(slice)).count();
        let length_ns = slice_ns * low as u64;
        if low > 0 && length_ns >= SHORTEST_NS {
            stalls.push(stall(series, &slices[at..at + low], (at, slice_ns, median)));
        }
        at += low.max(1);
    }
    stalls
}

/// Returns the stall of these slices, the first of which has index `first`.
fn stall(
    series: &WindowSeries,
    slices: &[WindowSlice],
    (first, slice_ns, median): (usize, u64, f64),
) -> Stall {
    let count = slices.len() as u64;
    let all = merge(slices);
    let mut causes: Vec<(Cause, u64)> = all.causes.into_iter().collect();
    causes.sort_by_key(|&(cause, total)| (std::cmp::Reverse(total), cause));
    Stall {
        at_ns: slice_ns * first as u64,
        length_ns: slice_ns * count,
        done: all.done,
        usual: units::whole(median * count as f64),
        commits: series.traced.then_some(all.ended + all.held),
        kind: StallKind::of(&causes, series.sync_binlog),
        causes,
    }
}

/// Returns slices that are long enough for the median one to have enough requests, their length, and that median. `None` if the
/// window has too few of them.
pub(crate) fn merged_slices(series: &WindowSeries) -> Option<(Vec<WindowSlice>, u64, f64)> {
    let (mut slices, mut slice_ns) = (series.slices.clone(), series.slice_ns);
    while slices.len() >= FEWEST_SLICES {
        let mut done: Vec<u64> = slices.iter().map(|slice| slice.done).collect();
        done.sort_unstable();
        let median = done[done.len() / 2] as f64;
        if median >= ENOUGH_REQUESTS {
            return Some((slices, slice_ns, median));
        }
        slices = slices.chunks(2).map(merge).collect();
        slice_ns = slice_ns.saturating_mul(2);
    }
    None
}

fn merge(slices: &[WindowSlice]) -> WindowSlice {
    let mut whole = WindowSlice::default();
    slices.iter().for_each(|slice| whole.add(slice));
    whole
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::{Wait, Who};
    use logtrace_common::FileClass;
    use logtrace_common::random::{Stream, below};
    use logtrace_events::IoOp;
    use proptest::prelude::*;

    use super::*;

    const SLICE_NS: u64 = 100_000_000;
    const ROTATION: Cause = Cause {
        who: Who::Leader,
        io: Some((FileClass::Binlog, IoOp::Fsync)),
        wait: Wait::DataWriteback,
    };

    fn series(done: &[u64]) -> WindowSeries {
        let slices = done.iter().map(|&done| WindowSlice {
            done,
            ..WindowSlice::default()
        });
        WindowSeries {
            slice_ns: SLICE_NS,
            slices: slices.collect(),
            traced: true,
            sync_binlog: Some(0),
        }
    }

    #[test]
    fn rotation_is_found_with_its_commits_and_causes() {
        let mut done = vec![100; 60];
        done[20..35].fill(0);
        done[40] = 0;
        let mut series = series(&done);
        series.slices[20].ended = 2;
        for slice in &mut series.slices[20..35] {
            slice.held = 8;
            slice.causes = [(Cause::UNEXPLAINED, 5), (ROTATION, 800_000_000)].into();
        }
        let found = stalls(&series);
        assert_eq!(
            found,
            [Stall {
                at_ns: 20 * SLICE_NS,
                length_ns: 15 * SLICE_NS,
                done: 0,
                usual: 1500,
                commits: Some(10),
                causes: vec![(ROTATION, 12_000_000_000), (Cause::UNEXPLAINED, 75)],
                kind: Some(StallKind::BinlogRotation),
            }],
            "a single slice is too short"
        );
    }

    #[test]
    fn constant_low_throughput_is_no_stall() {
        assert_eq!(stalls(&series(&[0; 100])), []);
        assert_eq!(stalls(&series(&[5; 7])), [], "too short to tell");
        assert_eq!(stalls(&series(&[])), []);
    }

    #[test]
    fn low_rate_has_no_stalls_by_chance() {
        // Three requests per slice on average; drawing the slice of each of 3,000 requests makes them Poisson.
        for seed in 0..200 {
            let (mut rng, mut done) = (Stream::Study(9).rng(seed), [0u64; 1000]);
            (0..3000).for_each(|_| done[below(&mut rng, 1000) as usize] += 1);
            assert_eq!(stalls(&series(&done)), [], "seed {seed}");
        }
        let mut done = [1; 300];
        done[100..180].fill(0);
        assert_eq!(stalls(&series(&done)).len(), 1, "8 s without any are one");
    }

    proptest! {
        #[test]
        fn stalls_are_disjoint_low_and_long_enough(done in proptest::collection::vec(0u64..200, 0..200)) {
            let series = series(&done);
            let found = stalls(&series);
            for stall in &found {
                prop_assert!(stall.length_ns >= SHORTEST_NS);
                prop_assert!(stall.done * 4 < stall.usual.max(1) + 4);
            }
            for pair in found.windows(2) {
                prop_assert!(pair[0].at_ns + pair[0].length_ns < pair[1].at_ns);
            }
        }
    }
}
