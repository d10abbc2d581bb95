//! Steps from the mean commit of one side to that of the other.

use crate::change::Verdict;
use crate::comparison::{CauseChange, Comparison};

/// Share of the mean commit below which a change of a cause is not listed by itself.
const SMALL: f64 = 0.005;

/// Steps from the mean commit of A to that of B. The listed causes and the others sum to the means.
pub(super) struct Steps<'a> {
    /// Mean of A.
    pub(super) a: f64,
    /// Mean of B.
    pub(super) b: f64,
    /// Causes, the one that changed most first.
    pub(super) causes: Vec<&'a CauseChange>,
    /// All other causes together: of A and of B.
    pub(super) others: (f64, f64),
}

impl<'a> Steps<'a> {
    /// Returns the steps of a comparison.
    pub(super) fn of(comparison: &'a Comparison) -> Self {
        let sums = |causes: &[&CauseChange]| {
            let a: f64 = causes.iter().map(|row| row.change.a).sum();
            let b: f64 = causes.iter().map(|row| row.change.b).sum();
            (a, b)
        };
        let all: Vec<&CauseChange> = comparison.causes.iter().collect();
        let (a, b) = sums(&all);
        let is_listed = |row: &&CauseChange| {
            let change = row.change;
            change.verdict == Verdict::Differs || (change.b - change.a).abs() >= SMALL * a
        };
        let (causes, others) = all.into_iter().partition::<Vec<_>, _>(is_listed);
        Self {
            a,
            b,
            others: sums(&others),
            causes,
        }
    }
}
