//! Typical commits of each band of durations: a random sample.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use logtrace_common::{HeatMap, TimeRange, latency_row};

use super::captured::Captured;

/// Rows of a heat map in a band of the cube: half an octave.
pub const ROWS_IN_BAND: u16 = 4;

/// Commits of a band.
const SAMPLE: u64 = 2;

/// Samples of the bands so far, by the number of the band. There are fewer than 130 bands.
#[derive(Debug, Default)]
pub(super) struct Typical {
    bands: Vec<Band>,
}

#[derive(Clone, Debug, Default)]
struct Band {
    /// Number of commits so far.
    count: u64,
    sample: Vec<Arc<Captured>>,
}

/// Place in a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplePlace {
    band: u16,
    at: usize,
}

impl Typical {
    /// Counts a commit, and returns its place in the sample of its band if it is drawn. Each commit of a band is in the
    /// sample with the same probability, and the same run has the same sample.
    pub(super) fn place(&mut self, commit: TimeRange) -> Option<SamplePlace> {
        let band = latency_row(commit.length_ns()) / ROWS_IN_BAND;
        if self.bands.len() <= usize::from(band) {
            self.bands.resize(usize::from(band) + 1, Band::default());
        }
        let counts = &mut self.bands[usize::from(band)];
        let drawn = if counts.count < SAMPLE {
            counts.count
        } else {
            mixed(counts.count ^ (u64::from(band) << 48)) % (counts.count + 1)
        };
        counts.count += 1;
        let at = usize::try_from(drawn).ok()?;
        (drawn < SAMPLE).then_some(SamplePlace { band, at })
    }

    pub(super) fn put(&mut self, place: SamplePlace, commit: Arc<Captured>) {
        let sample = &mut self.bands[usize::from(place.band)].sample;
        match sample.get_mut(place.at) {
            Some(before) => *before = commit,
            None => sample.push(commit),
        }
    }

    /// Returns the samples, the shortest commits first, each with the number of commits in the rows below its own.
    pub(super) fn finish(&mut self, commits: &HeatMap) -> Vec<(Arc<Captured>, u64)> {
        let mut rows = BTreeMap::<u16, u64>::new();
        for ((_, row), count) in commits.counts() {
            *rows.entry(row).or_default() += count;
        }
        let bands = mem::take(&mut self.bands).into_iter();
        let mut all: Vec<Arc<Captured>> = bands.flat_map(|band| band.sample).collect();
        all.sort_by_key(|captured| captured.commit.length_ns());
        let with_shorter = all.into_iter().map(|captured| {
            let row = latency_row(captured.commit.length_ns());
            let shorter = rows.range(..row).map(|(_, count)| count).sum();
            (captured, shorter)
        });
        with_shorter.collect()
    }
}

/// Returns a number in which each bit depends on all bits of the other one (the finalizer of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH_NS: u64 = 1 << 20;

    /// Returns the last commit that is in each place of the sample, and the number of commits that were.
    fn drawn(commits: u64, seed: u64) -> ([u64; 2], u64) {
        let mut typical = Typical::default();
        let mut sample = [0, 0];
        let mut copied = 0;
        for n in 0..commits {
            if let Some(place) = typical.place(TimeRange::new(0, LENGTH_NS << seed)) {
                sample[place.at] = n;
                copied += 1;
            }
        }
        (sample, copied)
    }

    #[test]
    fn early_and_late_commits_are_drawn_alike_and_few_are_copied() {
        let mut late = 0;
        for band in 0..30 {
            let (sample, copied) = drawn(10_000, band);
            late += sample.iter().filter(|&&n| n >= 5_000).count();
            assert!(copied < 40, "{copied} of 10,000 are copied");
        }
        assert!((15..=45).contains(&late), "{late} of 60 are of the second half");
        assert_eq!(
            drawn(10_000, 3),
            drawn(10_000, 3),
            "the same run has the same sample"
        );
    }
}
