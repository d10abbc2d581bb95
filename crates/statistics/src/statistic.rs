//! Statistic that turns the repeats of a cell into one number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::Display;

use crate::descriptive::{mean, median};

/// Statistic that turns the repeats of a cell into one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Statistic {
    /// Median.
    #[default]
    Median,
    /// Arithmetic mean.
    Mean,
}

/// Variance of the median of 1, 2, 3, ... normal numbers, divided by that of their mean.
const MEDIAN_VARIANCE: [f64; 10] = [1.0, 1.0, 1.346, 1.193, 1.434, 1.288, 1.473, 1.346, 1.495, 1.383];

impl Statistic {
    /// Returns the statistic of `values`, or `None` if there are none.
    pub fn of(self, values: &[f64]) -> Option<f64> {
        match self {
            Self::Median => median(values),
            Self::Mean => mean(values),
        }
    }

    /// Returns the variance of the statistic of `count` normal numbers, divided by that of their mean.
    pub(crate) fn relative_variance(self, count: usize) -> f64 {
        match self {
            Self::Mean => 1.0,
            // With more numbers it approaches pi / 2 from below.
            Self::Median => *MEDIAN_VARIANCE
                .get(count.saturating_sub(1))
                .unwrap_or(&std::f64::consts::FRAC_PI_2),
        }
    }
}
