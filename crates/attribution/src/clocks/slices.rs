//! Slices of a run, each short enough that the clocks do not drift apart in it.

use logtrace_events::Request;

use super::bounds::Bounds;
use super::first_guess::FirstGuess;
use super::times::difference;
use super::visit_times::VisitTimes;

/// Length of a slice.
const SLICE_NS: u64 = 1_000_000_000;

/// Least number of requests in a slice.
const LEAST_REQUESTS: usize = 20;

/// Largest change of the difference from one slice to the next: 500 ppm, the fastest that Linux slews a clock, and some
/// room.
const CHANGE_NS: i64 = 1_000_000;

/// Width of a bin in which the delays of requests are counted.
const BIN_NS: i64 = 20_000;

/// Limits of the time by which a wake-up may come earlier after its request than most do.
const EARLIER_NS: (i64, i64) = (20_000, 5_000_000);

/// Share of the bounds of a slice that may be beyond the bounds that count.
const BEYOND: f64 = 0.05;

/// Most frequent difference between a request and the wake-up for it, by slice.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    /// Time of the request in the middle of each slice, by the client's clock.
    middles_ns: Vec<u64>,
    /// Difference of the clocks at that time.
    offsets_ns: Vec<i64>,
    /// Time by which a wake-up may come earlier.
    earlier_ns: i64,
}

impl Slices {
    /// Follows the difference from the requests that gave the first guess to both ends of the run.
    pub(super) fn follow(requests: &[&Request], visits: &VisitTimes, guess: FirstGuess) -> Self {
        let ranges = ranges(requests);
        let first = ranges
            .iter()
            .position(|range| range.contains(&guess.request))
            .unwrap_or(0);
        let mut offsets_ns = vec![guess.offset_ns; ranges.len()];
        let reach_ns = guess.error_ns + CHANGE_NS;
        let (before, after): (Vec<_>, Vec<_>) = ((0..first).rev().collect(), (first..ranges.len()).collect());
        let mut start_ns = guess.offset_ns;
        for indexes in [after, before] {
            let mut near_ns = start_ns;
            for index in indexes {
                let slice = &requests[ranges[index].clone()];
                near_ns = most_frequent(slice, visits, near_ns, reach_ns).unwrap_or(near_ns);
                offsets_ns[index] = near_ns;
            }
            start_ns = offsets_ns[first];
        }
        Self {
            middles_ns: ranges
                .iter()
                .map(|range| requests[middle(range)].sent_ns)
                .collect(),
            offsets_ns,
            earlier_ns: half_of_a_short_turn(visits).clamp(EARLIER_NS.0, EARLIER_NS.1),
        }
    }

    /// Returns the difference at a time of the client, on the line through the two nearest slices.
    pub(super) fn at(&self, at_ns: u64) -> i64 {
        let after = self.middles_ns.partition_point(|&middle_ns| middle_ns <= at_ns);
        let left = after
            .saturating_sub(1)
            .min(self.middles_ns.len().saturating_sub(2));
        match (&self.middles_ns[left..], &self.offsets_ns[left..]) {
            (&[left_ns, right_ns, ..], &[left, right, ..]) if right_ns > left_ns => {
                let share = difference(at_ns, left_ns) as f64 / (right_ns - left_ns) as f64;
                left + ((right - left) as f64 * share).round() as i64
            }
            (_, offsets) => offsets.first().copied().unwrap_or(0),
        }
    }

    /// Returns a difference at which no wake-up comes before its request.
    pub(super) fn early(&self, at_ns: u64) -> i64 {
        self.at(at_ns) - self.earlier_ns
    }

    /// Returns how long after the answer, by [`early`](Self::early), a wake-up may still come.
    pub(super) fn late_ns(&self) -> u64 {
        2 * self.earlier_ns.unsigned_abs()
    }

    /// Returns the slices with the middle between the bounds of their requests.
    pub(super) fn between(&self, bounds: &[Bounds]) -> Self {
        let mut of_slices = vec![(Vec::new(), Vec::new()); self.middles_ns.len()];
        for bound in bounds {
            let (lower, upper) = &mut of_slices[self.nearest(bound.sent_ns)];
            lower.push(bound.lower_ns);
            upper.push(bound.upper_ns);
        }
        let mut middles = self.clone();
        for (offset_ns, (lower, upper)) in middles.offsets_ns.iter_mut().zip(&mut of_slices) {
            lower.sort_unstable();
            upper.sort_unstable();
            let beyond = (BEYOND * lower.len() as f64) as usize;
            let ends = lower.iter().rev().nth(beyond).zip(upper.get(beyond));
            *offset_ns = ends.map_or(*offset_ns - self.earlier_ns, |(lower, upper)| {
                lower + (upper - lower) / 2
            });
        }
        middles
    }

    /// Returns the slice with the nearest middle.
    fn nearest(&self, at_ns: u64) -> usize {
        let after = self.middles_ns.partition_point(|&middle_ns| middle_ns <= at_ns);
        let around = after.saturating_sub(1)..self.middles_ns.len().min(after + 1);
        let nearest = around.min_by_key(|&index| self.middles_ns[index].abs_diff(at_ns));
        nearest.unwrap_or(0)
    }
}

fn middle(range: &std::ops::Range<usize>) -> usize {
    usize::midpoint(range.start, range.end)
}

/// Returns the slices as ranges of `requests`, which are in the order of time. There is at least one.
fn ranges(requests: &[&Request]) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (index, request) in requests.iter().enumerate() {
        let is_long = request.sent_ns - requests[start].sent_ns >= SLICE_NS;
        if is_long && index - start >= LEAST_REQUESTS {
            ranges.push(start..index);
            start = index;
        }
    }
    ranges.push(start..requests.len());
    ranges
}

/// Returns the most frequent difference between a request and a wake-up of its thread, near a difference.
fn most_frequent(requests: &[&Request], visits: &VisitTimes, near_ns: i64, reach_ns: i64) -> Option<i64> {
    let mut bins = vec![0u32; (2 * reach_ns / BIN_NS) as usize + 2];
    for request in requests {
        let from_ns = request.sent_ns.saturating_add_signed(near_ns - reach_ns);
        let until_ns = request.sent_ns.saturating_add_signed(near_ns + reach_ns);
        for &woken_ns in visits.wake_ups(request.thread.unwrap_or(0), from_ns, until_ns) {
            let bin = difference(woken_ns, from_ns) / BIN_NS;
            if let Some(bin) = usize::try_from(bin).ok().and_then(|bin| bins.get_mut(bin)) {
                *bin += 1;
            }
        }
    }
    let pairs = bins.windows(2).map(|pair| pair[0] + pair[1]);
    let (votes, bin) = pairs.zip(0i64..).max_by_key(|&(votes, _)| votes)?;
    (votes > 0).then_some(near_ns - reach_ns + (bin + 1) * BIN_NS)
}

/// Returns half of a short time between two wake-ups of one thread, which is at least the way there and back. Half of it
/// is more than a wake-up can come earlier than most, and less than the time until the next request.
fn half_of_a_short_turn(visits: &VisitTimes) -> i64 {
    let turns = visits.by_thread().flat_map(|wake_ups| {
        let pairs = wake_ups.windows(2);
        pairs.map(|pair| difference(pair[1], pair[0]))
    });
    let mut turns: Vec<i64> = turns.collect();
    turns.sort_unstable();
    let short = (BEYOND * turns.len() as f64) as usize;
    turns.get(short).copied().unwrap_or(0) / 2
}
