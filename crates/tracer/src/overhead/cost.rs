//! Estimates of CPU time with a range; pure.

use std::iter::Sum;
use std::ops::Add;

/// CPU time in nanoseconds, and how sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Best estimate.
    pub ns: f64,
    /// Variance of the estimate, because it is a mean of some events.
    variance: f64,
    /// Most that it may be wrong by in one direction, because a cost was measured in another state of the caches.
    bias: f64,
}

/// Quantile of the normal distribution for a 95 % interval.
const NORMAL: f64 = 1.96;

impl Estimate {
    /// Returns a time that is known exactly.
    pub(crate) fn exact(ns: u64) -> Self {
        Self::default().plus(ns as f64)
    }

    pub(crate) fn mean(ns: f64, variance: f64) -> Self {
        Self {
            ns,
            variance,
            bias: 0.0,
        }
    }

    /// Returns the time of `count` events that each cost between `one` and `other`.
    pub(crate) fn between(one: f64, other: f64, count: f64) -> Self {
        Self {
            ns: count * f64::midpoint(one, other),
            variance: 0.0,
            bias: count * (one - other).abs() / 2.0,
        }
    }

    /// Adds a time that is known exactly.
    pub(crate) fn plus(self, ns: f64) -> Self {
        Self {
            ns: self.ns + ns,
            ..self
        }
    }

    /// Returns the time so many times.
    #[must_use]
    pub fn times(self, count: f64) -> Self {
        Self {
            ns: self.ns * count,
            variance: self.variance * count * count,
            bias: self.bias * count,
        }
    }

    /// Returns the lower end of the range: 95 % for the means, and all of what calibration leaves open.
    pub fn low(self) -> f64 {
        (self.ns - self.error()).max(0.0)
    }

    /// Returns the upper end of the range.
    pub fn high(self) -> f64 {
        self.ns + self.error()
    }

    fn error(self) -> f64 {
        self.bias + NORMAL * self.variance.sqrt()
    }
}

/// Errors of means are independent; those of calibration have one direction, and add up.
impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ns: self.ns + other.ns,
            variance: self.variance + other.variance,
            bias: self.bias + other.bias,
        }
    }
}

impl Sum for Estimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_means_partly_cancel_and_those_of_calibration_do_not() {
        let means: Estimate = [Estimate::mean(100.0, 9.0), Estimate::mean(50.0, 16.0)]
            .into_iter()
            .sum();
        assert_eq!((means.ns, means.high()), (150.0, 150.0 + NORMAL * 5.0));
        let sum = Estimate::between(3.0, 2.0, 10.0) + Estimate::between(1.0, 2.0, 10.0);
        assert_eq!((sum.low(), sum.ns, sum.high()), (30.0, 40.0, 50.0));
        let both = (means + sum + Estimate::exact(7)).times(2.0);
        assert_eq!(
            (both.ns, both.high()),
            (394.0, 394.0 + 2.0 * (10.0 + NORMAL * 5.0))
        );
    }

    #[test]
    fn no_time_is_less_than_none() {
        assert_eq!(Estimate::mean(5.0, 100.0).low(), 0.0);
    }
}
