//! Simulated studies of short turns: false positives, coverage and power under the noise of a small shared machine.

use logtrace_common::random::{Stream, Xoshiro256PlusPlus, below};
use statrs::distribution::{Beta, ContinuousCDF};

use crate::descriptive::mean;
use crate::descriptive::tests::normal;
use crate::paired_test::{DifferenceScale, Pair, TestedDifference, compare_cells};

/// Study of pairs of cells on a machine whose speed moves.
#[derive(Clone, Copy, Debug)]
struct Design {
    /// Number of comparisons: pairs of a cell and its baseline, all in the same blocks.
    pairs: usize,
    repeats: usize,
    /// Short turns of a cell in a repeat.
    turns: usize,
    /// Correlation of the machine's speed between neighbouring turns.
    correlation: f64,
    /// Standard deviation of that speed.
    moving: f64,
    /// Slowdown from the first turn to the last.
    drift: f64,
    /// Standard deviation of the noise of each turn alone.
    own: f64,
    /// Standard deviation of what a server has from its start to its end, in each repeat.
    start: f64,
    /// True ratio of each cell to its baseline.
    ratio: f64,
}

/// The noise of `turns.jsonl` of an A/A study on two shared CPUs: ratios of neighbours in a block of turns of 1 s have a
/// standard deviation of 7 to 19 %, and no correlation from block to block.
const MACHINE: Design = Design {
    pairs: 16,
    repeats: 6,
    turns: 5,
    correlation: 0.8,
    moving: 0.1,
    drift: 0.5,
    own: 0.07,
    start: 0.0,
    ratio: 1.0,
};

impl Design {
    /// Draws a study and compares its cells.
    fn study(&self, rng: &mut Xoshiro256PlusPlus) -> Vec<Option<TestedDifference>> {
        let cells = 2 * self.pairs;
        let all = (cells * self.repeats * self.turns) as f64;
        let (mut moving, mut taken) = (normal(rng), 0.0);
        let mut table = vec![Vec::new(); self.pairs];
        for _ in 0..self.repeats {
            let start: Vec<f64> = (0..cells).map(|_| self.start * normal(rng)).collect();
            let mut sums = vec![0.0; cells];
            for _ in 0..self.turns {
                for cell in shuffled(cells, rng) {
                    let fresh = (1.0 - self.correlation.powi(2)).sqrt() * normal(rng);
                    moving = self.correlation * moving + fresh;
                    let effect = if cell % 2 == 0 { 0.0 } else { self.ratio.ln() };
                    let noise = self.moving * moving + self.own * normal(rng) - self.drift * taken / all;
                    sums[cell] += (effect + start[cell] + noise).exp() / self.turns as f64;
                    taken += 1.0;
                }
            }
            for (pair, sums) in table.iter_mut().zip(sums.chunks(2)) {
                pair.push(Pair {
                    value: sums[1],
                    baseline: sums[0],
                    errors: None,
                });
            }
        }
        compare_cells(&table, DifferenceScale::Ratio)
    }

    /// Returns the share of comparisons with a property over many studies, and its 95 % interval.
    fn share(&self, has: impl Fn(&TestedDifference) -> bool) -> (f64, f64, f64) {
        const COMPARISONS: usize = 3200;
        let mut rng = Stream::Study(31).rng(17);
        let (mut found, mut tested) = (0, 0);
        for _ in 0..COMPARISONS / self.pairs {
            for one in self.study(&mut rng).iter().flatten() {
                tested += 1;
                found += usize::from(has(one));
            }
        }
        let (found, missed) = (f64::from(found as u32), f64::from((tested - found) as u32));
        // Clopper and Pearson's interval.
        let end = |a: f64, b: f64, p| Beta::new(a, b).map_or(0.0, |beta| beta.inverse_cdf(p));
        (
            found / (found + missed),
            end(found, missed + 1.0, 0.025),
            end(found + 1.0, missed, 0.975),
        )
    }

    fn contains(&self, comparison: &TestedDifference) -> bool {
        let interval = comparison.interval.unwrap();
        (interval.low..=interval.high).contains(&self.ratio)
    }
}

/// Draws an order of numbers.
pub(crate) fn shuffled(count: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, below(rng, last as u64 + 1) as usize);
    }
    order
}

/// Designs that differ in their noise, with many comparisons and with few.
fn designs() -> Vec<Design> {
    let noises = [
        MACHINE,
        Design {
            correlation: 0.99,
            moving: 0.3,
            ..MACHINE
        },
        Design {
            start: 0.03,
            ..MACHINE
        },
        Design {
            correlation: 0.0,
            drift: 0.0,
            ..MACHINE
        },
    ];
    let sizes = [(16, 6, 5), (2, 6, 5), (16, 3, 10), (2, 8, 4)];
    let sized = |noise: Design| {
        sizes.map(|(pairs, repeats, turns)| Design {
            pairs,
            repeats,
            turns,
            ..noise
        })
    };
    noises.into_iter().flat_map(sized).collect()
}

#[test]
fn equal_cells_differ_in_one_of_twenty_intervals_and_rarely_after_correction() {
    for design in designs() {
        let (outside, low, high) = design.share(|one| !design.contains(one));
        println!("{design:?}: {outside:.3} ({low:.3}..{high:.3}) of the intervals without 1");
        assert!(low <= 0.05, "{design:?}: {outside} ({low}..{high})");
        let (significant, ..) = design.share(|one| one.significant);
        assert!(significant <= 0.05, "{significant}");
    }
}

#[test]
fn intervals_contain_a_true_ratio_in_95_of_100_cases() {
    for design in designs() {
        let design = Design { ratio: 0.9, ..design };
        let (covered, low, high) = design.share(|one| design.contains(one));
        println!("{design:?}: {covered:.3} ({low:.3}..{high:.3}) of the intervals have 0.9");
        assert!(high >= 0.95, "{design:?}: {covered} ({low}..{high})");
    }
}

#[test]
fn ten_percent_are_seen_with_thirty_turns_and_five_percent_with_ninety() {
    let found = |design: Design| {
        design
            .share(|one| !Design { ratio: 1.0, ..design }.contains(one))
            .0
    };
    let ten = found(Design {
        ratio: 0.9,
        ..MACHINE
    });
    let five = found(Design {
        ratio: 0.95,
        turns: 15,
        ..MACHINE
    });
    println!("10 % found in {ten:.3} of the comparisons with 6 x 5 turns, 5 % in {five:.3} with 6 x 15");
    assert!(ten > 0.8, "{ten}");
    assert!(five > 0.75, "{five}");
}

#[test]
fn the_smallest_visible_effect_is_seen_in_eight_of_ten_studies() {
    let mut rng = Stream::Study(31).rng(19);
    let visible = MACHINE
        .study(&mut rng)
        .into_iter()
        .flatten()
        .filter_map(|one| one.visible);
    let visible: Vec<f64> = visible.collect();
    let ratio = mean(&visible).unwrap();
    let design = Design { ratio, ..MACHINE };
    let (seen, ..) = design.share(|one| !Design { ratio: 1.0, ..design }.contains(one));
    println!("{ratio:.3} is seen in {seen:.3} of the comparisons");
    assert!((0.7..0.9).contains(&seen), "{ratio} is seen in {seen}");
}
