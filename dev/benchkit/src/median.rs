//! The median of a few noisy numbers, with what can be said of the true one; pure.

/// Probability that the interval misses the true median.
const MISSES: f64 = 0.05;

/// The median of independent numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// Median of the numbers.
    pub median: f64,
    /// Holds the true median with at least 95 %, whatever the distribution of the numbers. `None` below six numbers,
    /// which are too few for that.
    pub interval: Option<(f64, f64)>,
}

impl Median {
    /// `None` of no numbers.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&low, &high) = (
            sorted.get(sorted.len().checked_sub(1)? / 2)?,
            sorted.get(sorted.len() / 2)?,
        );
        let interval = rank(sorted.len()).map(|rank| (sorted[rank], sorted[sorted.len() - 1 - rank]));
        Some(Self {
            median: f64::midpoint(low, high),
            interval,
        })
    }
}

/// Returns how many numbers to leave out on either side, so that the rest still spans the median.
///
/// Each number lies below the true median with probability 1/2, so that the number of those that do is binomial:
/// order statistics k and n + 1 - k miss it with probability 2 P(B < k) (David and Nagaraja, Order Statistics,
/// section 7.1).
fn rank(count: usize) -> Option<usize> {
    let mut probability = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut missing = 2.0 * probability;
    let mut rank = None;
    let mut below = 0;
    while missing <= MISSES {
        rank = Some(below);
        probability *= (count - below) as f64 / (below + 1) as f64;
        missing += 2.0 * probability;
        below += 1;
    }
    rank
}
