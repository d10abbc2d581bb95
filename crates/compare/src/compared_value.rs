//! One comparison, and its verdict.

use logtrace_statistics::{
    DifferenceScale, Interval, Pair, StandardError, TestedDifference, Verdict, compare_alone,
    mark_significant, mean,
};
use serde::Serialize;

/// Degrees of freedom of an error that is known.
const KNOWN: f64 = 1e9;

/// Comparison of one number of the runs of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ComparedValue {
    /// Mean of the first side.
    pub a: f64,
    /// Mean of the second side.
    pub b: f64,
    /// Ratio of the second side to the first, or difference from it; absent if there is no ratio because a value is 0. With
    /// repeats the geometric mean of the ratios of the pairs.
    pub change: Option<f64>,
    /// 95 % interval of the change, not corrected for the number of comparisons; absent where the errors are unknown.
    pub interval: Option<Interval>,
    /// Probability of such a change, or a larger one, if there were none; before correction.
    pub p: Option<f64>,
    /// Verdict, after the correction of its family.
    pub verdict: Verdict,
}

/// Number of one run of each side, with the standard errors within the runs: of the logarithms for a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ValuesOfBoth {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) errors: Option<(StandardError, StandardError)>,
}

/// Tests a row for itself. `spread` is how much two runs of the same differ, which a single pair does not show.
pub(crate) fn test_row(row: &[ValuesOfBoth], how: DifferenceScale, spread: f64) -> Option<TestedDifference> {
    match row {
        [one] => {
            let mut tested = [single(*one, how, spread)];
            mark_significant(&mut tested);
            tested[0]
        }
        repeats => {
            let pairs: Vec<Pair> = repeats.iter().map(|values| pair(values, how)).collect();
            compare_alone(&pairs, how)
        }
    }
}

/// Returns one pair of repeats, the first side as the baseline.
fn pair(values: &ValuesOfBoth, how: DifferenceScale) -> Pair {
    let squared = |error: StandardError, value: f64| match how {
        DifferenceScale::Ratio => (error.error * value).powi(2),
        DifferenceScale::Difference => error.error.powi(2),
    };
    Pair {
        value: values.b,
        baseline: values.a,
        errors: values
            .errors
            .map(|(a, b)| (squared(b, values.b), squared(a, values.a))),
    }
}

/// Compares one run with another by the errors within both and the spread between runs.
fn single(values: ValuesOfBoth, how: DifferenceScale, spread: f64) -> Option<TestedDifference> {
    let change = how.difference(values.b, values.a)?;
    let with_spread = |error: StandardError, value: f64| {
        let size = match how {
            DifferenceScale::Ratio => 1.0,
            DifferenceScale::Difference => value,
        };
        let between = StandardError {
            error: spread * size,
            freedom: KNOWN,
        };
        StandardError::of_difference(error, between)
    };
    let error = values
        .errors
        .map(|(a, b)| StandardError::of_difference(with_spread(a, values.a), with_spread(b, values.b)));
    Some(how.test_result(change, error.filter(|error| error.error > 0.0)))
}

impl ComparedValue {
    /// Returns the comparison of a row. `smallest` is the smallest change that matters: a share for a ratio.
    pub(crate) fn of(
        row: &[ValuesOfBoth],
        tested: Option<TestedDifference>,
        how: DifferenceScale,
        smallest: f64,
    ) -> Self {
        let side =
            |value: fn(&ValuesOfBoth) -> f64| mean(&row.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0);
        Self {
            a: side(|values| values.a),
            b: side(|values| values.b),
            change: tested.map(|one| one.value),
            interval: tested.and_then(|one| one.interval),
            p: tested.and_then(|one| one.p),
            verdict: tested.map_or(Verdict::CannotTell, |one| one.verdict(how, smallest)),
        }
    }

    /// Returns the same change, without a judgement if it cannot be judged.
    pub(crate) fn unless(self, is_barred: bool) -> Self {
        match is_barred {
            true => Self {
                verdict: Verdict::CannotTell,
                ..self
            },
            false => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_each_is_compared_by_the_errors_within_them() {
        let error = |error| StandardError { error, freedom: 30.0 };
        let values = ValuesOfBoth {
            a: 100.0,
            b: 110.0,
            errors: Some((error(0.03), error(0.04))),
        };
        let ratio = test_row(&[values], DifferenceScale::Ratio, 0.0).unwrap();
        assert!((ratio.value - 1.1).abs() < 1e-9);
        let Interval { low, high } = ratio.interval.unwrap();
        // 2.0 is the quantile of Student's distribution with 56 degrees of freedom.
        assert!((low - 1.1 * (-0.05 * 2.0_f64).exp()).abs() < 0.002, "{low}");
        assert!((low * high - 1.1 * 1.1).abs() < 1e-9);
        // A spread of 0.1 between runs: the square root of 0.03^2 + 0.04^2 + 2 * 0.1^2 is 0.15.
        let spread = test_row(&[values], DifferenceScale::Ratio, 0.1).unwrap();
        let low = spread.interval.unwrap().low;
        assert!((low - 1.1 * (-0.15 * 1.96_f64).exp()).abs() < 0.003, "{low}");
        let without = ValuesOfBoth {
            errors: None,
            ..values
        };
        let ratio = test_row(&[without], DifferenceScale::Ratio, 0.1).unwrap();
        assert_eq!((ratio.interval, ratio.p), (None, None));
        let nothing = ValuesOfBoth { a: 0.0, ..values };
        assert!(test_row(&[nothing], DifferenceScale::Ratio, 0.1).is_none());
    }
}
