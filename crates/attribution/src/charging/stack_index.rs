//! Numbers of stacks, and the time of a commit by these numbers.
//!
//! A commit has many segments and few different stacks. Each stack is looked up once, and all totals use its number.

use std::mem;

use rustc_hash::FxHashMap;

use crate::causes::Cause;
use crate::causes::cause_index::CauseIndex;
use crate::charging::Segment;
use crate::timeline::frames::Frames;

/// Limit on stacks with frames. In weeks, thousands of processes may have had the CPU.
const MAX_STACKS: usize = 1 << 17;

/// Number of stacks that are found without the hash map: those of the last commits, a power of two.
const RECENT: usize = 256;

/// Stacks in the order in which they were first seen.
#[derive(Debug)]
pub(crate) struct StackIndex {
    causes: CauseIndex,
    stacks: Vec<NumberedStack>,
    /// Number of a stack.
    numbers: FxHashMap<StackKey, usize>,
    /// Stack that was looked up last, by some bits of the key, with its number.
    recent: [(StackKey, usize); RECENT],
    /// Number of the last commit.
    commit: u64,
    /// Numbers of the stacks of the last commit's segments.
    of_segments: Vec<usize>,
    /// Time of the last commit, each of its stacks once.
    times: Vec<StackTime>,
}

/// [`Frames::number`], 0 without frames, and [`Cause::number`].
type StackKey = (u64, u32);

/// A cause and the frames below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedStack {
    /// Index of the cause among the causes.
    pub(crate) cause: usize,
    pub(crate) frames: Option<Frames>,
    /// Number of the last commit with this stack, and the stack's place among that commit's times.
    commit: u64,
    place: usize,
}

/// Time of a commit in one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackTime {
    /// Number of the stack.
    pub(crate) stack: usize,
    /// Index of its cause.
    pub(crate) cause: usize,
    pub(crate) ns: u64,
}

impl Default for StackIndex {
    fn default() -> Self {
        Self {
            causes: CauseIndex::default(),
            stacks: Vec::new(),
            numbers: FxHashMap::default(),
            // No frames have this number.
            recent: [((u64::MAX, 0), 0); RECENT],
            commit: 0,
            of_segments: Vec::new(),
            times: Vec::new(),
        }
    }
}

impl StackIndex {
    /// Sums up the segments of the next commit by stack.
    pub(crate) fn sum(&mut self, segments: &[Segment]) {
        self.commit += 1;
        self.times.clear();
        self.of_segments.clear();
        for segment in segments {
            let number = self.number(segment.cause, segment.frames);
            self.of_segments.push(number);
            let stack = &mut self.stacks[number];
            if mem::replace(&mut stack.commit, self.commit) != self.commit {
                stack.place = self.times.len();
                self.times.push(StackTime {
                    stack: number,
                    cause: stack.cause,
                    ns: 0,
                });
            }
            self.times[stack.place].ns += segment.range.length_ns();
        }
    }

    /// Returns the time of the last commit, each of its stacks once.
    pub(crate) fn times(&self) -> &[StackTime] {
        &self.times
    }

    /// Returns the segments of the last commit, each with the number of its stack.
    pub(crate) fn numbered<'a>(
        &'a self,
        segments: &'a [Segment],
    ) -> impl Iterator<Item = (&'a Segment, usize)> {
        segments.iter().zip(self.of_segments.iter().copied())
    }

    pub(crate) fn stacks(&self) -> &[NumberedStack] {
        &self.stacks
    }

    pub(crate) fn causes(&self) -> &[Cause] {
        self.causes.causes()
    }

    /// Returns the number of a stack, a new one if it has none.
    fn number(&mut self, cause: Cause, frames: Option<Frames>) -> usize {
        let key = (frames.map_or(0, Frames::number), cause.number());
        let at = place_of(key);
        let (found, number) = self.recent[at];
        if found == key {
            return number;
        }
        let number = self.number_of(key, cause, frames);
        self.recent[at] = (key, number);
        number
    }

    /// Returns the same by the hash map. With too many stacks, a new one is that of its cause alone.
    fn number_of(&mut self, key: StackKey, cause: Cause, frames: Option<Frames>) -> usize {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if frames.is_some() && self.stacks.len() >= MAX_STACKS {
            return self.number(cause, None);
        }
        self.stacks.push(NumberedStack {
            cause: self.causes.of(cause),
            frames,
            commit: 0,
            place: 0,
        });
        self.numbers.insert(key, self.stacks.len() - 1);
        self.stacks.len() - 1
    }
}

/// Returns the place among the recent ones: the upper bits of a product (Fibonacci hashing).
fn place_of((frames, cause): StackKey) -> usize {
    let product = (u64::from(cause) ^ frames).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product >> (u64::BITS - RECENT.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use logtrace_common::TimeRange;

    use crate::causes::Wait;

    use super::*;

    fn segment(wait: Wait, frames: Option<u32>, ns: u64) -> Segment {
        Segment {
            range: TimeRange::new(0, ns),
            tid: 1,
            cause: Cause::own(wait),
            frames: frames.map(Frames::Kernel),
        }
    }

    fn times(index: &StackIndex) -> Vec<(Wait, Option<Frames>, u64)> {
        let times = index.times().iter().map(|time| {
            let stack = index.stacks()[time.stack];
            assert_eq!(stack.cause, time.cause);
            (index.causes()[time.cause].wait, stack.frames, time.ns)
        });
        times.collect()
    }

    #[test]
    fn a_stack_has_one_time_in_a_commit_and_one_number_in_all() {
        let mut index = StackIndex::default();
        index.sum(&[
            segment(Wait::OnCpu, None, 5),
            segment(Wait::Timer, Some(1), 3),
            segment(Wait::OnCpu, None, 2),
            segment(Wait::Timer, Some(2), 1),
        ]);
        let (one, two) = (Some(Frames::Kernel(1)), Some(Frames::Kernel(2)));
        assert_eq!(
            times(&index),
            [
                (Wait::OnCpu, None, 7),
                (Wait::Timer, one, 3),
                (Wait::Timer, two, 1)
            ]
        );
        index.sum(&[segment(Wait::Timer, Some(2), 9)]);
        assert_eq!(times(&index), [(Wait::Timer, two, 9)]);
        assert_eq!((index.stacks().len(), index.causes().len()), (3, 2));
    }

    #[test]
    fn too_many_stacks_lose_their_frames_and_no_time() {
        let mut index = StackIndex::default();
        for frames in 0..=MAX_STACKS as u32 {
            index.sum(&[segment(Wait::Timer, Some(frames), 1)]);
        }
        assert_eq!(times(&index), [(Wait::Timer, None, 1)]);
        index.sum(&[
            segment(Wait::Timer, Some(7), 2),
            segment(Wait::Timer, Some(u32::MAX), 3),
        ]);
        let seven = Some(Frames::Kernel(7));
        assert_eq!(times(&index), [(Wait::Timer, seven, 2), (Wait::Timer, None, 3)]);
    }
}
