//! Mean, median and variance.

use statrs::statistics::{Data, OrderStatistics, Statistics};

/// Returns the arithmetic mean of `values`, or `None` if there are none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.mean())
}

/// Returns the median of `values`, or `None` if there are none.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).median())
}

/// Returns the sample variance of `values`, or `None` if there are fewer than two.
pub fn variance(values: &[f64]) -> Option<f64> {
    (values.len() >= 2).then(|| values.variance())
}

#[cfg(test)]
pub(crate) mod tests {
    use logtrace_common::random::{Rng, Xoshiro256PlusPlus};
    use proptest::prelude::*;

    use super::*;

    /// Draws a number of the standard normal distribution (Box and Muller).
    pub(crate) fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
        let mut unit = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (radius, angle) = ((-2.0 * unit().ln()).sqrt(), std::f64::consts::TAU * unit());
        radius * angle.cos()
    }

    #[test]
    fn medians_and_variances_have_known_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(variance(&[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!((median(&[]), mean(&[]), variance(&[1.0])), (None, None, None));
    }

    proptest! {
        #[test]
        fn median_has_as_many_values_below_as_above(values in proptest::collection::vec(-1e9f64..1e9, 1..50)) {
            let median = median(&values).unwrap();
            let below = values.iter().filter(|&&value| value < median).count();
            let above = values.iter().filter(|&&value| value > median).count();
            prop_assert!(below * 2 <= values.len() && above * 2 <= values.len());
        }
    }
}
