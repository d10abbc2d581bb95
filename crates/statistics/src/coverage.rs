//! Simulated coverage of the intervals of figures.

use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus};

use crate::confidence_interval::{CellValues, t_intervals};
use crate::descriptive::tests::normal;
use crate::paired_test::{DifferenceScale, Pair, compare_cells};
use crate::statistic::Statistic;

/// Noise between the runs of a cell.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Normal, 3 % of the value.
    Normal,
    /// Logarithms are normal, with a standard deviation of 0.2.
    LogNormal,
    /// Noise as above, with a standard deviation of 0.2 in one cell of four and 0.01 in the others.
    Unequal,
    /// One run in four takes a third longer; else normal, 3 % of the value.
    SlowRuns,
}

impl Noise {
    fn draw(self, rng: &mut Xoshiro256PlusPlus, cell: usize) -> f64 {
        match self {
            Self::Normal => 1.0 + 0.03 * normal(rng),
            Self::LogNormal => (0.2 * normal(rng)).exp(),
            Self::Unequal => (unequal(cell) * normal(rng)).exp(),
            Self::SlowRuns => {
                let slow = rng.next_u64() < u64::MAX / 4;
                let factor = if slow { 4.0 / 3.0 } else { 1.0 };
                factor * (1.0 + 0.03 * normal(rng))
            }
        }
    }

    /// Returns the true value of a statistic of one run.
    fn truth(self, statistic: Statistic, cell: usize) -> f64 {
        match (self, statistic) {
            (Self::Normal, _) | (Self::LogNormal | Self::Unequal, Statistic::Median) => 1.0,
            (Self::Unequal, Statistic::Mean) => (unequal(cell).powi(2) / 2.0).exp(),
            (Self::LogNormal, Statistic::Mean) => (0.2f64 * 0.2 / 2.0).exp(),
            (Self::SlowRuns, Statistic::Mean) => 1.0 + 1.0 / 12.0,
            // Two thirds of the runs that are not slow are below it.
            (Self::SlowRuns, Statistic::Median) => 1.0 + 0.03 * 0.430_727,
        }
    }
}

fn unequal(cell: usize) -> f64 {
    if cell.is_multiple_of(4) { 0.2 } else { 0.01 }
}

/// Returns the share of intervals that contain the true value, in tables with so many cells.
fn coverage(noise: Noise, statistic: Statistic, repeats: usize, cells: usize) -> f64 {
    const INTERVALS: usize = 8_000;
    let mut rng = Stream::Study(4).rng(11);
    let mut hits = 0;
    for _ in 0..INTERVALS / cells {
        let mut cell = |cell| CellValues {
            values: (0..repeats).map(|_| noise.draw(&mut rng, cell)).collect(),
            errors: vec![None; repeats],
        };
        let cells: Vec<CellValues> = (0..cells).map(&mut cell).collect();
        for (cell, interval) in t_intervals(&cells, statistic).into_iter().enumerate() {
            let interval = interval.unwrap();
            hits += usize::from((interval.low..=interval.high).contains(&noise.truth(statistic, cell)));
        }
    }
    hits as f64 / INTERVALS as f64
}

/// Repeats whose coverage docs/studies.md states.
const REPEATS: [usize; 3] = [3, 5, 8];

#[test]
fn a_median_has_a_95_percent_interval_whatever_the_noise() {
    for noise in [Noise::Normal, Noise::LogNormal, Noise::Unequal, Noise::SlowRuns] {
        for cells in [1, 4, 12, 20] {
            let by = REPEATS.map(|repeats| coverage(noise, Statistic::Median, repeats, cells));
            println!("median, {noise:?}, {cells} cells: {by:.3?}");
            assert!(by.iter().all(|share| (0.945..0.995).contains(share)));
        }
    }
}

#[test]
fn a_mean_has_a_95_percent_interval_where_no_run_is_far_slower() {
    for noise in [Noise::Normal, Noise::LogNormal, Noise::Unequal] {
        for cells in [1, 4, 12, 20] {
            let by = REPEATS.map(|repeats| coverage(noise, Statistic::Mean, repeats, cells));
            println!("mean, {noise:?}, {cells} cells: {by:.3?}");
            assert!(by.iter().all(|share| (0.945..0.985).contains(share)));
        }
    }
    // Slow runs that no repeat had are in no interval: the caption of each table of means says so.
    let by = REPEATS.map(|repeats| coverage(Noise::SlowRuns, Statistic::Mean, repeats, 20));
    println!("mean, SlowRuns, 20 cells: {by:.3?}");
    assert!(by.iter().all(|share| *share < 0.945));
}

#[test]
fn equal_cells_with_slow_runs_rarely_differ() {
    const TABLES: usize = 200;
    const CELLS: usize = 20;
    for repeats in REPEATS {
        let mut rng = Stream::Study(4).rng(12);
        let (mut outside, mut significant) = (0, 0);
        for _ in 0..TABLES {
            let mut pair = |_| Pair {
                value: Noise::SlowRuns.draw(&mut rng, 0),
                baseline: Noise::SlowRuns.draw(&mut rng, 0),
                errors: None,
            };
            let table: Vec<Vec<Pair>> = (0..CELLS)
                .map(|_| (0..repeats).map(&mut pair).collect())
                .collect();
            for one in compare_cells(&table, DifferenceScale::Ratio)
                .into_iter()
                .flatten()
            {
                let interval = one.interval.unwrap();
                outside += usize::from(!(interval.low..=interval.high).contains(&1.0));
                significant += usize::from(one.significant);
            }
        }
        let share = |count| count as f64 / (TABLES * CELLS) as f64;
        let (outside, significant) = (share(outside), share(significant));
        println!("{repeats} repeats: {outside:.3} of the ratios without 1, {significant:.4} significant");
        assert!(outside <= 0.055 && significant < 0.01);
    }
}
