//! Times in which throughput broke down, and what commits waited for then.

use logtrace_report::cause::Cause;

use crate::results::stall_kind::StallKind;
use crate::results::window_series::{Course, Part};

/// A part with less than this share of the median is part of a stall.
const FAR_BELOW: f64 = 0.25;
/// Shorter ones are no stalls.
const SHORTEST_NS: u64 = 200_000_000;
/// With fewer requests in the median part, a part without any is chance: parts are put together until they have as many.
const TELLING: f64 = 20.0;
/// With fewer parts there is no usual throughput.
const FEWEST_PARTS: usize = 8;

/// A time in which throughput was far below the window's median.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stall {
    /// When it began, in nanoseconds from the start of the window.
    pub at_ns: u64,
    /// How long it lasted.
    pub length_ns: u64,
    /// Requests that were done in it.
    pub done: u64,
    /// Requests that are usually done in such a time, by the median of the window.
    pub usual: u64,
    /// Commits that were under way in it; `None` where that is not known, because not all of the window was traced.
    pub commits: Option<u64>,
    /// What these commits waited for meanwhile, the largest first: nanoseconds.
    pub causes: Vec<(Cause, u64)>,
    /// What most of that was, in one word; `None` where nothing was most of it.
    pub kind: Option<StallKind>,
}

/// The stalls of a window, in the order of time: at least 200 ms, all of it in parts with less than a quarter of the median
/// part's requests. There are none where hardly anything is asked of the server, or the window is too short.
pub fn stalls(course: &Course) -> Vec<Stall> {
    let Some((parts, part_ns, median)) = telling(course) else {
        return Vec::new();
    };
    let is_low = |part: &Part| (part.done as f64) < FAR_BELOW * median;
    let (mut stalls, mut at) = (Vec::new(), 0);
    while at < parts.len() {
        let low = parts[at..].iter().take_while(|part| is_low(part)).count();
        let length_ns = part_ns * low as u64;
        if low > 0 && length_ns >= SHORTEST_NS {
            stalls.push(stall(&parts, at..at + low, part_ns, median).told(course));
        }
        at += low.max(1);
    }
    stalls
}

fn stall(parts: &[Part], range: std::ops::Range<usize>, part_ns: u64, median: f64) -> Stall {
    let low = range.len() as u64;
    let mut held = Part::default();
    parts[range.clone()].iter().for_each(|part| held.add(part));
    let mut causes: Vec<(Cause, u64)> = held.causes.into_iter().collect();
    causes.sort_by_key(|&(cause, total)| (std::cmp::Reverse(total), cause));
    Stall {
        at_ns: part_ns * range.start as u64,
        length_ns: part_ns * low,
        done: held.done,
        usual: rounded(median * low as f64),
        commits: Some(held.ended + held.held),
        causes,
        kind: None,
    }
}

impl Stall {
    /// As far as the course knows.
    fn told(self, course: &Course) -> Self {
        Self {
            commits: self.commits.filter(|_| course.traced),
            kind: StallKind::of(&self.causes, course.sync_binlog),
            ..self
        }
    }
}

/// Parts that are long enough for the median one to have some requests, their length, and that median.
fn telling(course: &Course) -> Option<(Vec<Part>, u64, f64)> {
    let (mut parts, mut part_ns) = (course.parts.clone(), course.part_ns);
    loop {
        if parts.len() < FEWEST_PARTS {
            return None;
        }
        let mut done: Vec<u64> = parts.iter().map(|part| part.done).collect();
        done.sort_unstable();
        let median = done[done.len() / 2] as f64;
        if median >= TELLING {
            return Some((parts, part_ns, median));
        }
        parts = parts.chunks(2).map(together).collect();
        part_ns = part_ns.saturating_mul(2);
    }
}

fn together(parts: &[Part]) -> Part {
    let mut whole = Part::default();
    parts.iter().for_each(|part| whole.add(part));
    whole
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of requests: at least 0, and far below 2^64"
)]
fn rounded(count: f64) -> u64 {
    count.round() as u64
}

#[cfg(test)]
mod tests {
    use logtrace_common::FileClass;
    use logtrace_driver::random::{Stream, below};
    use logtrace_events::IoOp;
    use logtrace_report::cause::{Wait, Who};
    use proptest::prelude::*;

    use super::*;

    const PART_NS: u64 = 100_000_000;
    const ROTATION: Cause = Cause {
        who: Who::Leader,
        io: Some((FileClass::Binlog, IoOp::Fsync)),
        wait: Wait::DataWriteback,
    };

    fn course(done: &[u64]) -> Course {
        let parts = done.iter().map(|&done| Part {
            done,
            ..Part::default()
        });
        Course {
            part_ns: PART_NS,
            parts: parts.collect(),
            traced: true,
            sync_binlog: Some(0),
        }
    }

    #[test]
    fn a_rotation_is_found_with_what_it_held() {
        let mut done = vec![100; 60];
        done[20..35].fill(0);
        done[40] = 0;
        let mut course = course(&done);
        course.parts[20].ended = 2;
        for part in &mut course.parts[20..35] {
            part.held = 8;
            part.causes = [(Cause::UNEXPLAINED, 5), (ROTATION, 800_000_000)].into();
        }
        let found = stalls(&course);
        assert_eq!(
            found,
            [Stall {
                at_ns: 20 * PART_NS,
                length_ns: 15 * PART_NS,
                done: 0,
                usual: 1500,
                commits: Some(10),
                causes: vec![(ROTATION, 12_000_000_000), (Cause::UNEXPLAINED, 75)],
                kind: Some(StallKind::BinlogRotation),
            }],
            "a single part is too short"
        );
    }

    #[test]
    fn what_is_slow_all_the_time_does_not_stall() {
        assert_eq!(stalls(&course(&[0; 100])), []);
        assert_eq!(stalls(&course(&[5; 7])), [], "too short to tell");
        assert_eq!(stalls(&course(&[])), []);
    }

    #[test]
    fn a_low_rate_has_no_stalls_by_chance() {
        // Three requests a part on average, Poisson by drawing each of 3,000 requests' part.
        for seed in 0..200 {
            let (mut rng, mut done) = (Stream::Study(9).rng(seed), [0u64; 1000]);
            (0..3000).for_each(|_| done[below(&mut rng, 1000) as usize] += 1);
            assert_eq!(stalls(&course(&done)), [], "seed {seed}");
        }
        let mut done = [1; 300];
        done[100..180].fill(0);
        assert_eq!(stalls(&course(&done)).len(), 1, "8 s without any are one");
    }

    proptest! {
        #[test]
        fn stalls_are_apart_low_and_long_enough(done in proptest::collection::vec(0u64..200, 0..200)) {
            let course = course(&done);
            let found = stalls(&course);
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
