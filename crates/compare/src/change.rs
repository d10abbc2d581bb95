//! One comparison, and its verdict.

use logtrace_statistics::{Compare, Comparison as Tested, Interval, Pair, StandardError, mean};
use serde::Serialize;
use strum::Display;

/// Degrees of freedom of an error that is known.
const KNOWN: f64 = 1e9;

/// Verdict on a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Display)]
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

/// Comparison of one number of the runs of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Mean of the first side.
    pub a: f64,
    /// Mean of the second side.
    pub b: f64,
    /// Ratio of the second side to the first, or difference from it; absent if there is no ratio because a value is 0.
    pub change: Option<f64>,
    /// 95 % interval of the change, not corrected for the number of comparisons; absent where the errors are unknown.
    pub interval: Option<Interval>,
    /// Probability of such a change, or a larger one, if there were none; before correction.
    pub p: Option<f64>,
    /// Verdict, after Holm's correction for all comparisons.
    pub verdict: Verdict,
}

/// Number of one run of each side, with the standard errors within the runs: of the logarithms for a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Values {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) errors: Option<(StandardError, StandardError)>,
}

/// Compares the pairs of each row. `spread` is how much two runs of the same differ, which a single pair does not show.
pub(crate) fn tested(rows: &[Vec<Values>], how: Compare, spread: f64) -> Vec<Option<Tested>> {
    let is_single = rows.iter().all(|pairs| pairs.len() == 1);
    match is_single {
        true => rows.iter().map(|pairs| single(pairs[0], how, spread)).collect(),
        false => repeated(rows, how),
    }
}

/// Compares repeats. The variances of the rows moderate one another, so differences are divided by the size of their row.
fn repeated(rows: &[Vec<Values>], how: Compare) -> Vec<Option<Tested>> {
    let sizes: Vec<f64> = rows.iter().map(|row| size(row, how)).collect();
    let pairs =
        |(row, &size): (&Vec<Values>, &f64)| row.iter().map(|values| pair(values, how, size)).collect();
    let pairs: Vec<Vec<Pair>> = rows.iter().zip(&sizes).map(pairs).collect();
    let tested = logtrace_statistics::compare(&pairs, how).into_iter();
    let whole = |(tested, size): (Option<Tested>, f64)| {
        let tested = tested?;
        Some(Tested {
            value: tested.value * size,
            interval: tested.interval.map(|interval| Interval {
                low: interval.low * size,
                high: interval.high * size,
            }),
            // Rows of other tables are corrected for too.
            significant: false,
            ..tested
        })
    };
    tested.zip(sizes).map(whole).collect()
}

/// Returns what the numbers of a row are divided by: their mean for a difference.
fn size(row: &[Values], how: Compare) -> f64 {
    let both: Vec<f64> = row.iter().flat_map(|values| [values.a, values.b]).collect();
    match how {
        Compare::Difference => mean(&both).filter(|mean| *mean > 0.0).unwrap_or(1.0),
        Compare::Ratio => 1.0,
    }
}

/// Returns one pair of repeats, the first side as the baseline, divided by the size of its row.
fn pair(values: &Values, how: Compare, size: f64) -> Pair {
    let squared = |error: StandardError, value: f64| match how {
        Compare::Ratio => (error.error * value).powi(2),
        Compare::Difference => (error.error / size).powi(2),
    };
    Pair {
        value: values.b / size,
        baseline: values.a / size,
        errors: values
            .errors
            .map(|(a, b)| (squared(b, values.b), squared(a, values.a))),
    }
}

/// Compares one run with another by the errors within both and the spread between runs.
fn single(values: Values, how: Compare, spread: f64) -> Option<Tested> {
    let change = how.difference(values.b, values.a)?;
    let with_spread = |error: StandardError, value: f64| {
        let size = match how {
            Compare::Ratio => 1.0,
            Compare::Difference => value,
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
    Some(how.comparison(change, error.filter(|error| error.error > 0.0)))
}

impl Change {
    /// Returns the comparison of a row. `smallest` is the smallest change that matters: a share for a ratio.
    pub(crate) fn of(row: &[Values], tested: Option<Tested>, how: Compare, smallest: f64) -> Self {
        let side =
            |value: fn(&Values) -> f64| mean(&row.iter().map(value).collect::<Vec<_>>()).unwrap_or(0.0);
        let none = match how {
            Compare::Ratio => 1.0,
            Compare::Difference => 0.0,
        };
        Self {
            a: side(|values| values.a),
            b: side(|values| values.b),
            change: tested.map(|one| one.value),
            interval: tested.and_then(|one| one.interval),
            p: tested.and_then(|one| one.p),
            verdict: tested.map_or(Verdict::CannotTell, |one| verdict(one, none, smallest)),
        }
    }
}

/// Judges a change from `none`.
fn verdict(tested: Tested, none: f64, smallest: f64) -> Verdict {
    let Some(Interval { low, high }) = tested.interval else {
        return Verdict::CannotTell;
    };
    let matters = (tested.value - none).abs() >= smallest;
    let is_small = low - none > -smallest && high - none < smallest;
    match (tested.significant && matters, is_small) {
        (true, _) => Verdict::Differs,
        (false, true) => Verdict::Same,
        (false, false) => Verdict::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: f64, low: f64, high: f64, significant: bool) -> Tested {
        Tested {
            value,
            interval: Some(Interval { low, high }),
            p: Some(0.5),
            visible: None,
            significant,
        }
    }

    #[test]
    fn a_verdict_needs_significance_and_a_size_that_matters() {
        let verdict = |tested| verdict(tested, 1.0, 0.02);
        assert_eq!(verdict(one(1.05, 1.03, 1.07, true)), Verdict::Differs);
        assert_eq!(verdict(one(0.95, 0.93, 0.97, true)), Verdict::Differs);
        assert_eq!(verdict(one(1.05, 0.99, 1.11, false)), Verdict::CannotTell);
        assert_eq!(verdict(one(1.01, 1.005, 1.015, true)), Verdict::Same);
        assert_eq!(verdict(one(1.01, 1.005, 1.03, true)), Verdict::CannotTell);
        let unknown = Tested {
            interval: None,
            ..one(2.0, 0.0, 0.0, false)
        };
        assert_eq!(verdict(unknown), Verdict::CannotTell);
    }

    #[test]
    fn one_run_each_is_compared_by_the_errors_within_them() {
        let error = |error| StandardError { error, freedom: 30.0 };
        let values = Values {
            a: 100.0,
            b: 110.0,
            errors: Some((error(0.03), error(0.04))),
        };
        let ratio = tested(&[vec![values]], Compare::Ratio, 0.0)[0].unwrap();
        assert!((ratio.value - 1.1).abs() < 1e-9);
        let Interval { low, high } = ratio.interval.unwrap();
        // 2.0 is the quantile of Student's distribution with 56 degrees of freedom.
        assert!((low - 1.1 * (-0.05 * 2.0_f64).exp()).abs() < 0.002, "{low}");
        assert!((low * high - 1.1 * 1.1).abs() < 1e-9);
        // A spread of 0.1 between runs: the square root of 0.03^2 + 0.04^2 + 2 * 0.1^2 is 0.15.
        let spread = tested(&[vec![values]], Compare::Ratio, 0.1)[0].unwrap();
        let low = spread.interval.unwrap().low;
        assert!((low - 1.1 * (-0.15 * 1.96_f64).exp()).abs() < 0.003, "{low}");
        let without = Values {
            errors: None,
            ..values
        };
        let ratio = tested(&[vec![without]], Compare::Ratio, 0.1)[0].unwrap();
        assert_eq!((ratio.interval, ratio.p), (None, None));
        let nothing = Values { a: 0.0, ..values };
        assert!(tested(&[vec![nothing]], Compare::Ratio, 0.1)[0].is_none());
    }
}
