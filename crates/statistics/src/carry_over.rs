//! Test of carry-over: does a value depend on the cell that was measured just before?

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Rounds of the fit. Cells are in random order within blocks, so a few rounds suffice.
const MOST_ROUNDS: usize = 200;
/// Change of the squares by which a round shows that the fit is done.
const DONE: f64 = 1e-9;

/// Value of a cell in a block of short turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnValue {
    /// Number of the block.
    pub block: usize,
    /// Number of the cell.
    pub cell: usize,
    /// Number of the level of the cell that was measured just before.
    pub before: usize,
    /// Value, on a scale on which the effects of block, cell and level add up.
    pub value: f64,
}

/// Returns the probability of differences between the levels of the cells before that are as large as these or larger, if
/// there is no carry-over. `None` for a single level, and for too few values.
///
/// It is the F test of a linear model: the levels explain more of the values than blocks and cells alone.
pub fn carry_over(values: &[TurnValue]) -> Option<f64> {
    let block: Vec<usize> = values.iter().map(|one| one.block).collect();
    let cell: Vec<usize> = values.iter().map(|one| one.cell).collect();
    let before: Vec<usize> = values.iter().map(|one| one.before).collect();
    let (blocks, cells, levels) = (distinct(&block), distinct(&cell), distinct(&before));
    if levels < 2 {
        return None;
    }
    let explained = (levels - 1) as f64;
    let freedom = values.len() as f64 - (blocks + cells + levels - 2) as f64;
    if freedom < 1.0 {
        return None;
    }
    let start: Vec<f64> = values.iter().map(|one| one.value).collect();
    let without = squares_left(&start, &[&block, &cell]);
    let with = squares_left(&start, &[&block, &cell, &before]);
    if with <= 0.0 {
        return None;
    }
    let ratio = ((without - with).max(0.0) / explained) / (with / freedom);
    Some(FisherSnedecor::new(explained, freedom).ok()?.sf(ratio))
}

fn distinct(numbers: &[usize]) -> usize {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len()
}

/// Returns the sum of the squares that the means of these factors together leave. The means of one factor after the other
/// are subtracted until nothing changes.
fn squares_left(values: &[f64], factors: &[&[usize]]) -> f64 {
    let mut rest = values.to_vec();
    let mut before = f64::INFINITY;
    for _ in 0..MOST_ROUNDS {
        factors
            .iter()
            .for_each(|factor| subtract_means(&mut rest, factor));
        let squares = rest.iter().map(|value| value * value).sum();
        if before - squares <= DONE * squares {
            return squares;
        }
        before = squares;
    }
    before
}

fn subtract_means(values: &mut [f64], factor: &[usize]) {
    let levels = factor.iter().copied().max().map_or(0, |most| most + 1);
    let (mut sums, mut counts) = (vec![0.0; levels], vec![0.0; levels]);
    for (value, &level) in values.iter().zip(factor) {
        sums[level] += value;
        counts[level] += 1.0;
    }
    for (value, &level) in values.iter_mut().zip(factor) {
        *value -= sums[level] / counts[level];
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::{Stream, Xoshiro256PlusPlus};

    use super::*;
    use crate::descriptive::tests::normal;
    use crate::interleaving::shuffled;
    use crate::time_series::tests::autocorrelated;

    const CELLS: usize = 8;

    /// Draws the turns of a study: cells of two levels in random order within blocks, with noise that neighbours share, and
    /// an effect of the level before.
    fn turns(rng: &mut Xoshiro256PlusPlus, effect: f64) -> Vec<TurnValue> {
        const BLOCKS: usize = 24;
        let noise = autocorrelated(rng, 0.7, BLOCKS * CELLS);
        let mut before = 0;
        let mut turns = Vec::new();
        for block in 0..BLOCKS {
            for cell in shuffled(CELLS, rng) {
                let noise = 0.05 * noise[turns.len()] + 0.02 * normal(rng);
                turns.push(TurnValue {
                    block,
                    cell,
                    before,
                    value: cell as f64 + noise + effect * before as f64,
                });
                before = cell % 2;
            }
        }
        turns
    }

    fn significant(effect: f64) -> f64 {
        let mut rng = Stream::Study(21).rng(3);
        let studies = 400;
        let found = (0..studies).filter(|_| carry_over(&turns(&mut rng, effect)).unwrap() < 0.05);
        found.count() as f64 / f64::from(studies)
    }

    #[test]
    fn carry_over_is_found_and_rarely_where_there_is_none() {
        let (none, some) = (significant(0.0), significant(0.05));
        println!("carry-over found: {none:.3} without any, {some:.3} with 5 %");
        assert!(none < 0.085, "{none}");
        assert!(some > 0.9, "{some}");
    }

    #[test]
    fn a_single_level_and_few_values_say_nothing() {
        let one = |block, cell, before| TurnValue {
            block,
            cell,
            before,
            value: (block * 3 + cell) as f64,
        };
        assert_eq!(carry_over(&[]), None);
        assert_eq!(carry_over(&[one(0, 0, 0), one(0, 1, 0), one(1, 0, 0)]), None);
        assert_eq!(carry_over(&[one(0, 0, 0), one(0, 1, 1), one(1, 0, 1)]), None);
    }
}
