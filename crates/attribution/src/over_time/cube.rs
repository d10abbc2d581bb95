//! Commit time by time, latency and stack.
//!
//! A selection in the page is a sum of whole cells. So it is exact, and of single commits only examples have to be stored.
//! Wider columns bound memory and file, and nothing is left out: a run of weeks has hours in a column.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use logtrace_common::{TimeColumns, TimeRange, latency_row};

use crate::causes::Cause;
use crate::charging::stack_index::StackIndex;
use crate::over_time::document::{CauseCube, CubeCell};
use crate::over_time::exemplars::typical::ROWS_IN_BAND;
use crate::over_time::stack_row::StackRow;
use crate::timeline::frames::{FrameNames, Frames};

/// Limit on cells, and so on memory: 5 MB. Columns become wider instead.
const MOST_CELLS: usize = 100_000;

/// Limit on stacks while a run goes on. Later ones count without their frames.
const MOST_STACKS: usize = 512;

/// Limit on stacks with frames in the result: the largest ones. Others count without their frames.
const MOST_FRAMES: usize = 128;

/// Time of commits by the column of their end, by the band of their duration, and by stack.
#[derive(Debug)]
pub(crate) struct Cube {
    sums: TimeColumns<StackInBand, Sum>,
    stacks: CubeStacks,
}

/// Stacks of the cube.
#[derive(Debug, Default)]
struct CubeStacks {
    /// Place among the stacks by the number in the [`StackIndex`].
    places: Vec<Option<usize>>,
    known: Vec<CubeStack>,
}

#[derive(Debug)]
struct CubeStack {
    cause: Cause,
    frames: Option<Frames>,
}

/// Place in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct StackInBand {
    band: u16,
    stack: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    ns: u64,
    commits: u64,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.ns += other.ns;
        self.commits += other.commits;
    }
}

impl Cube {
    /// Creates an empty cube of a window.
    pub(crate) fn new(window: TimeRange) -> Self {
        Self {
            sums: TimeColumns::new(window.start_ns),
            stacks: CubeStacks::default(),
        }
    }

    /// Adds the last commit of the index.
    pub(crate) fn add(&mut self, commit: TimeRange, index: &StackIndex) {
        let band = latency_row(commit.length_ns()) / ROWS_IN_BAND;
        let mut column = self.sums.column_at(commit.end_ns);
        for time in index.times() {
            let stack = self.stacks.place(index, time.stack);
            *column.sum(StackInBand { band, stack }) += Sum {
                ns: time.ns,
                commits: 1,
            };
        }
        // A single column has far fewer cells.
        while self.sums.len() > MOST_CELLS {
            self.sums.double();
        }
    }

    /// Returns the result, with names of the frames.
    pub(crate) fn finish(&self, names: &FrameNames) -> CauseCube {
        let (stacks, places) = self.rows(names);
        let mut cells = BTreeMap::<(u64, StackInBand), Sum>::new();
        for ((column, place), sum) in self.sums.sums() {
            let stack = places[place.stack];
            *cells.entry((column, StackInBand { stack, ..place })).or_default() += sum;
        }
        let cells = cells.into_iter().map(|((column, place), sum)| CubeCell {
            column,
            band: place.band,
            stack: place.stack,
            ns: sum.ns,
            commits: sum.commits,
        });
        CauseCube {
            column_ns: self.sums.width_ns(),
            stacks,
            cells: cells.collect(),
        }
    }

    /// Returns the stacks of the result, the largest first, and the place among them of each stack of the cube. Stacks with
    /// the same names become one.
    fn rows(&self, names: &FrameNames) -> (Vec<StackRow>, Vec<usize>) {
        let mut rows: Vec<StackRow> = self.stacks.known.iter().map(|stack| stack.row(names)).collect();
        let totals = self.totals();
        let small: BTreeSet<StackRow> = {
            let sums = summed(&rows, &totals).into_iter();
            let with_frames = sums.filter(|(row, _)| !row.frames.is_empty());
            with_frames
                .skip(MOST_FRAMES)
                .map(|(row, _)| row.clone())
                .collect()
        };
        for row in &mut rows {
            if small.contains(row) {
                row.frames.clear();
            }
        }
        let sums = summed(&rows, &totals);
        let places: BTreeMap<&StackRow, usize> = sums.iter().map(|&(row, _)| row).zip(0..).collect();
        let places = rows.iter().map(|row| places[row]).collect();
        (sums.iter().map(|&(row, _)| row.clone()).collect(), places)
    }

    /// Returns the nanoseconds of each stack.
    fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0; self.stacks.known.len()];
        for ((_, place), sum) in self.sums.sums() {
            totals[place.stack] += sum.ns;
        }
        totals
    }
}

impl CubeStacks {
    /// Returns the place of a stack with a number, a new one if it has none. With too many stacks, a new one is that of its
    /// cause alone.
    fn place(&mut self, index: &StackIndex, number: usize) -> usize {
        if self.places.len() <= number {
            self.places.resize(number + 1, None);
        }
        if let Some(place) = self.places[number] {
            return place;
        }
        let stack = index.stacks()[number];
        let cause = index.causes()[stack.cause];
        let frames = stack.frames.filter(|_| self.known.len() < MOST_STACKS);
        let is_known = |known: &CubeStack| known.cause == cause && known.frames == frames;
        let place = self.known.iter().position(is_known).unwrap_or_else(|| {
            self.known.push(CubeStack { cause, frames });
            self.known.len() - 1
        });
        self.places[number] = Some(place);
        place
    }
}

impl CubeStack {
    fn row(&self, names: &FrameNames) -> StackRow {
        StackRow {
            cause: self.cause,
            frames: names.names(self.frames),
        }
    }
}

/// Returns the sums of equal rows, the largest first.
fn summed<'a>(rows: &'a [StackRow], totals: &[u64]) -> Vec<(&'a StackRow, u64)> {
    let mut sums = BTreeMap::<&StackRow, u64>::new();
    for (row, total) in rows.iter().zip(totals) {
        *sums.entry(row).or_default() += total;
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|&(_, total)| Reverse(total));
    sums
}

#[cfg(test)]
mod tests {
    use crate::causes::Wait;
    use crate::charging::Segment;

    use super::*;

    const TENTH_NS: u64 = 100_000_000;

    /// Adds a commit with these pieces, one after another.
    fn add((cube, index): &mut (Cube, StackIndex), end_ns: u64, pieces: &[(Wait, Option<u32>, u64)]) {
        let length_ns: u64 = pieces.iter().map(|(.., ns)| ns).sum();
        let mut at_ns = end_ns - length_ns;
        let commit = TimeRange::new(at_ns, end_ns);
        let segments = pieces.iter().map(|&(wait, stack, ns)| {
            at_ns += ns;
            Segment {
                range: TimeRange::new(at_ns - ns, at_ns),
                tid: 1,
                cause: Cause::own(wait),
                frames: stack.map(Frames::Unnamed),
            }
        });
        index.sum(&segments.collect::<Vec<_>>());
        cube.add(commit, index);
    }

    fn cube() -> (Cube, StackIndex) {
        (Cube::new(TimeRange::new(0, u64::MAX)), StackIndex::default())
    }

    fn cells(cube: &CauseCube) -> Vec<(u64, usize, u64, u64)> {
        let cells = cube.cells.iter();
        cells
            .map(|cell| (cell.column, cell.stack, cell.ns, cell.commits))
            .collect()
    }

    #[test]
    fn a_commit_is_in_the_column_of_its_end_and_counts_once_for_a_stack() {
        let mut cube = cube();
        let pieces = [
            (Wait::OnCpu, None, 5),
            (Wait::Timer, None, 3),
            (Wait::OnCpu, None, 2),
        ];
        add(&mut cube, TENTH_NS, &pieces);
        add(&mut cube, 2 * TENTH_NS, &pieces[..1]);
        let found = cube.0.finish(&FrameNames::default());
        assert_eq!(
            found.stacks.iter().map(|row| row.cause.wait).collect::<Vec<_>>(),
            [Wait::OnCpu, Wait::Timer]
        );
        assert_eq!(cells(&found), [(1, 0, 7, 1), (1, 1, 3, 1), (2, 0, 5, 1)]);
        assert_eq!(found.cells[0].band, 10 / 4, "10 ns are in row 10");
    }

    #[test]
    fn too_many_columns_cells_or_stacks_become_fewer_and_lose_nothing() {
        let mut cube = cube();
        let mut total_ns = 0;
        for n in 0..30_000 {
            let length_ns = 1 << (n % 30);
            total_ns += length_ns + 1;
            let stack = u32::try_from(n % 1_000).unwrap();
            let pieces = [(Wait::Timer, Some(stack), length_ns), (Wait::OnCpu, None, 1)];
            add(&mut cube, (1 << 31) + n * 3 * TENTH_NS / 100, &pieces);
            assert!(cube.0.sums.len() <= MOST_CELLS && cube.0.stacks.known.len() <= MOST_STACKS + 2);
        }
        let found = cube.0.finish(&FrameNames::default());
        assert!(found.column_ns > TENTH_NS);
        let with_frames = found.stacks.iter().filter(|row| !row.frames.is_empty());
        assert_eq!(with_frames.count(), MOST_FRAMES);
        assert_eq!(found.cells.iter().map(|cell| cell.ns).sum::<u64>(), total_ns);
        let sorted = found
            .cells
            .iter()
            .map(|cell| (cell.column, cell.band, cell.stack));
        assert!(sorted.is_sorted());
    }

    #[test]
    fn ten_minutes_of_20_000_commits_a_second_have_a_small_file() {
        let start_ns = 1 << 40;
        let mut cube = (
            Cube::new(TimeRange::new(start_ns, u64::MAX)),
            StackIndex::default(),
        );
        let mut noise = 1_u64;
        let mut random = |below: u64| {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (noise >> 33) % below
        };
        let waits = [
            Wait::OnCpu,
            Wait::JournalCommit,
            Wait::DeviceFlush,
            Wait::Timer,
            Wait::RowLock,
        ];
        for n in 0..12_000_000 {
            let slow = 1 << random(12);
            let mut pieces = [(Wait::OnCpu, None, 1); 5];
            for (piece, wait) in pieces.iter_mut().zip(waits) {
                let stack = random(8)
                    .checked_sub(1)
                    .and_then(|stack| u32::try_from(stack).ok());
                *piece = (wait, stack, 1_000 * slow + random(50_000));
            }
            add(&mut cube, start_ns + n * 50_000, &pieces);
        }
        let text = serde_json::to_string(&cube.0.finish(&FrameNames::default())).unwrap();
        println!("{} bytes", text.len());
        assert!(text.len() < 1_500_000, "{} bytes", text.len());
    }
}
