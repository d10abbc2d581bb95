//! Confidence intervals of counts.

use statrs::distribution::{ContinuousCDF, Gamma};

use crate::confidence_interval::{CellValues, Interval};
use crate::descriptive::{mean, variance};
use crate::standard_error::CONFIDENCE;

/// Returns the interval of the mean count of each cell of a table.
///
/// It is the exact one (Garwood 1936) for counts that follow Poisson's distribution. Counts that scatter more, because events
/// come in bursts or some runs differ, have a wider one: their variance is a multiple of the mean, and the interval is that of
/// as many independent events as the count has by this multiple (quasi-Poisson; McCullagh and Nelder, Generalized Linear
/// Models, 1989). `None` for fewer than two counts: a single window says nothing about how much windows differ.
pub fn poisson_intervals(cells: &[CellValues]) -> Vec<Option<Interval>> {
    let of_table = dispersion(cells);
    let interval = |cell: &CellValues| {
        let multiple = of_table.max(dispersion(std::slice::from_ref(cell)));
        poisson_interval(&cell.values, multiple)
    };
    cells.iter().map(interval).collect()
}

/// Returns by how much the variance of the counts of a cell exceeds their mean, estimated from all cells, and at least 1
/// (Pearson's statistic by its degrees of freedom). Cells without an event say nothing about it.
fn dispersion(cells: &[CellValues]) -> f64 {
    let (mut statistic, mut freedom) = (0.0, 0.0);
    for counts in cells.iter().map(|cell| &cell.values) {
        if let (Some(mean), Some(variance)) = (mean(counts), variance(counts))
            && mean > 0.0
        {
            let own = counts.len() as f64 - 1.0;
            statistic += own * variance / mean;
            freedom += own;
        }
    }
    if freedom > 0.0 {
        f64::max(statistic / freedom, 1.0)
    } else {
        1.0
    }
}

/// Returns the interval of counts whose variance is such a multiple of their mean.
fn poisson_interval(counts: &[f64], multiple: f64) -> Option<Interval> {
    if counts.len() < 2 {
        return None;
    }
    let events = counts.iter().sum::<f64>() / multiple;
    let quantile = |shape: f64, p: f64| Some(Gamma::new(shape, 1.0).ok()?.inverse_cdf(p));
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let low = if events > 0.0 {
        quantile(events, tail)?
    } else {
        0.0
    };
    let scale = multiple / counts.len() as f64;
    Some(Interval {
        low: low * scale,
        high: quantile(events + 1.0, 1.0 - tail)? * scale,
    })
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus};

    use super::*;

    fn cell(counts: &[f64]) -> CellValues {
        CellValues {
            values: counts.to_vec(),
            errors: vec![None; counts.len()],
        }
    }

    #[test]
    fn no_event_has_an_interval_that_ends_above_zero() {
        let none = poisson_intervals(&[cell(&[0.0; 3])])[0].unwrap();
        // -ln(0.025) = 3.689 events in three windows.
        assert!(
            none.low.abs() < 1e-12 && (none.high - 3.689 / 3.0).abs() < 0.001,
            "{none:?}"
        );
        let three = poisson_intervals(&[cell(&[1.0, 2.0])])[0].unwrap();
        assert!((2.0 * three.low - 0.6187).abs() < 0.001 && (2.0 * three.high - 8.7673).abs() < 0.001);
        assert_eq!(poisson_intervals(&[cell(&[4.0])]), [None]);
    }

    #[test]
    fn counts_that_scatter_more_widen_the_intervals_of_their_table() {
        let (even, uneven) = (cell(&[2.0; 3]), cell(&[0.0, 0.0, 6.0]));
        let alone = poisson_intervals(std::slice::from_ref(&even))[0].unwrap();
        // Variance 12, mean 2: the six events are worth one.
        let one = poisson_intervals(std::slice::from_ref(&uneven))[0].unwrap();
        assert!((one.low - 2.0 * 0.0253).abs() < 0.001 && (one.high - 2.0 * 5.5716).abs() < 0.001);
        let both = poisson_intervals(&[even, uneven]);
        let beside = both[0].unwrap();
        assert!(beside.low < alone.low && alone.high < beside.high);
        assert_eq!(both[1], Some(one));
    }

    /// Draws a count with Knuth's method.
    fn poisson(rng: &mut Xoshiro256PlusPlus, rate: f64) -> f64 {
        let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (limit, mut product, mut count) = ((-rate).exp(), unit(), 0.0);
        while product > limit {
            product *= unit();
            count += 1.0;
        }
        count
    }

    /// Returns the share of intervals that contain the true rate. Windows have the same rate, or rates that differ
    /// exponentially.
    fn coverage(rate: f64, cells: usize, differs: bool) -> f64 {
        const INTERVALS: usize = 4_000;
        let mut rng = Stream::Study(5).rng(3);
        let mut count = |_| {
            let unit = ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            let rate = if differs { -rate * unit.ln() } else { rate };
            poisson(&mut rng, rate)
        };
        let mut hits = 0;
        for _ in 0..INTERVALS / cells {
            let table: Vec<CellValues> = (0..cells)
                .map(|_| cell(&(0..3).map(&mut count).collect::<Vec<_>>()))
                .collect();
            let intervals = poisson_intervals(&table).into_iter().flatten();
            hits += intervals
                .filter(|one| (one.low..=one.high).contains(&rate))
                .count();
        }
        hits as f64 / INTERVALS as f64
    }

    #[test]
    fn intervals_contain_the_true_rate_in_95_of_100_cases() {
        for cells in [1, 20] {
            let by = [0.1, 0.3, 2.0, 10.0].map(|rate| coverage(rate, cells, false));
            println!("{cells} cells, equal windows: {by:.3?}");
            assert!(by.iter().all(|share| *share >= 0.945), "{by:?}");
            let by = [0.1, 0.3, 2.0, 10.0].map(|rate| coverage(rate, cells, true));
            println!("{cells} cells, windows that differ: {by:.3?}");
            // How much three windows of one cell differ is uncertain itself.
            let least = if cells == 1 { 0.8 } else { 0.945 };
            assert!(by.iter().all(|share| *share >= least), "{by:?}");
        }
    }
}
