//! Weighted random choice.

use logtrace_common::random::{Rng, below};

/// Weights of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weighted {
    /// Cumulative weights. The last one is above 0.
    sums: Vec<u64>,
}

impl Weighted {
    /// Returns the choice with these weights, or `None` if there are none or a weight is 0 (it would never be drawn).
    pub(crate) fn new(weights: impl IntoIterator<Item = u32>) -> Option<Self> {
        let mut sums = Vec::new();
        for weight in weights {
            if weight == 0 {
                return None;
            }
            sums.push(sums.last().copied().unwrap_or(0) + u64::from(weight));
        }
        (!sums.is_empty()).then_some(Self { sums })
    }

    /// Draws an index.
    pub(crate) fn draw(&self, rng: &mut impl Rng) -> usize {
        let drawn = below(rng, self.sums.last().copied().unwrap_or(1));
        self.sums.partition_point(|&sum| sum <= drawn)
    }
}

#[cfg(test)]
mod tests {
    use logtrace_common::random::Stream;

    use super::*;
    use crate::util::test_fit::{assert_fits, assert_misfits};

    #[test]
    fn indexes_are_drawn_by_weight() {
        let weighted = Weighted::new([5, 1, 4]).unwrap();
        let mut rng = Stream::Window.rng(3);
        let mut counts = [0; 3];
        for _ in 0..30_000 {
            counts[weighted.draw(&mut rng)] += 1;
        }
        assert_fits(&counts, &[0.5, 0.1, 0.4]);
        assert_misfits(&counts, &[0.48, 0.12, 0.4]);
    }

    #[test]
    fn weights_of_0_are_refused() {
        assert_eq!(Weighted::new([1, 0]), None);
        assert_eq!(Weighted::new([]), None);
    }
}
