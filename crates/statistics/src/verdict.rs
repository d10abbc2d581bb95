//! Verdict on a tested difference, the same for comparisons of runs and for studies.

use schemars::JsonSchema;
use serde::Serialize;
use strum::Display;

use crate::confidence_interval::Interval;
use crate::paired_test::{DifferenceScale, TestedDifference};

/// Smallest change that matters, as a share, unless somebody names another one.
pub const SMALLEST_CHANGE: f64 = 0.02;

/// Verdict on a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The difference is real, and not smaller than what matters.
    #[strum(serialize = "differs")]
    Differs,
    /// A difference that matters is ruled out.
    #[strum(serialize = "same")]
    Same,
    /// The measurements allow both.
    #[strum(serialize = "cannot tell")]
    CannotTell,
}

impl TestedDifference {
    /// Returns whether the difference is at least the smallest one that matters: a share for a ratio.
    pub fn matters(&self, how: DifferenceScale, smallest: f64) -> bool {
        (self.value - how.none()).abs() >= smallest
    }

    /// Judges the difference. `smallest` is the smallest one that matters: a share for a ratio.
    pub fn verdict(&self, how: DifferenceScale, smallest: f64) -> Verdict {
        let Some(Interval { low, high }) = self.interval else {
            return Verdict::CannotTell;
        };
        let is_small = low - how.none() > -smallest && high - how.none() < smallest;
        match (self.significant && self.matters(how, smallest), is_small) {
            (true, _) => Verdict::Differs,
            (false, true) => Verdict::Same,
            (false, false) => Verdict::CannotTell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: f64, low: f64, high: f64, significant: bool) -> TestedDifference {
        TestedDifference {
            value,
            interval: Some(Interval { low, high }),
            p: Some(0.5),
            visible: None,
            significant,
        }
    }

    #[test]
    fn a_verdict_needs_significance_and_a_size_that_matters() {
        let verdict = |tested: TestedDifference| tested.verdict(DifferenceScale::Ratio, SMALLEST_CHANGE);
        assert_eq!(verdict(one(1.05, 1.03, 1.07, true)), Verdict::Differs);
        assert_eq!(verdict(one(0.95, 0.93, 0.97, true)), Verdict::Differs);
        assert_eq!(verdict(one(1.05, 0.99, 1.11, false)), Verdict::CannotTell);
        assert_eq!(verdict(one(1.01, 1.005, 1.015, true)), Verdict::Same);
        assert_eq!(verdict(one(1.01, 1.005, 1.03, true)), Verdict::CannotTell);
        let unknown = TestedDifference {
            interval: None,
            ..one(2.0, 0.0, 0.0, false)
        };
        assert_eq!(verdict(unknown), Verdict::CannotTell);
        let ns = one(-30.0, -40.0, -20.0, true);
        assert_eq!(ns.verdict(DifferenceScale::Difference, 25.0), Verdict::Differs);
        assert_eq!(ns.verdict(DifferenceScale::Difference, 50.0), Verdict::Same);
    }
}
