//! Run of a comparison with what was computed from it once.

use std::collections::BTreeMap;

use logtrace_report::document::{PrimaryFigure, Work};
use logtrace_statistics::StandardError;

use crate::batches::Batches;
use crate::estimate::ratio_error;
use crate::figures::{Measured, RunFigure, figures};
use crate::run::Run;
use crate::waited::Waited;

/// Largest ratio of offered rates at which times are compared.
const SAME_RATE: f64 = 1.01;

/// Run with what was computed from it once.
pub(crate) struct Side {
    pub(crate) figures: Vec<Measured>,
    /// Mean nanoseconds of a commit by cause.
    pub(crate) causes: BTreeMap<Waited, f64>,
    pub(crate) batches: Batches,
    /// Mean duration of a commit in nanoseconds, if there are commits.
    pub(crate) commit_mean_ns: Option<f64>,
    /// Offered and achieved requests a second; absent without a rate.
    rates: Option<(f64, f64)>,
}

impl Side {
    pub(crate) fn of(run: &Run, work: Work) -> Self {
        let document = &run.document;
        let batches = run.over_time.as_ref();
        let batches = batches
            .map(|over_time| Batches::of(over_time, document.cpu.as_ref()))
            .unwrap_or_default();
        let count = document.commits.as_ref().map_or(0, |commits| commits.count);
        let mut causes = BTreeMap::new();
        for row in &document.causes {
            *causes.entry(Waited::from(row.cause)).or_default() += row.total as f64 / count.max(1) as f64;
        }
        let driver = document.driver.as_ref();
        Self {
            figures: figures(run, &batches, work),
            causes,
            batches,
            commit_mean_ns: document.primary(PrimaryFigure::CommitMean),
            rates: driver.and_then(|driver| Some((driver.offered_per_s?, driver.achieved_per_s))),
        }
    }

    /// Returns whether the other run had another offered rate. A run without one was as fast as it could.
    pub(crate) fn has_other_rate(&self, other: &Self) -> bool {
        match (self.rates, other.rates) {
            (None, None) => false,
            (Some((a, _)), Some((b, _))) => (a / b).max(b / a) > SAME_RATE,
            _ => true,
        }
    }

    /// Returns whether the run had a rate and achieved it, to `share` of it.
    pub(crate) fn has_held_its_rate(&self, share: f64) -> bool {
        let least = 1.0 - share.min(SAME_RATE - 1.0);
        self.rates
            .is_some_and(|(offered, achieved)| achieved >= least * offered)
    }

    pub(crate) fn figure(&self, figure: RunFigure) -> Option<&Measured> {
        self.figures.iter().find(|measured| measured.figure == figure)
    }

    /// Returns the mean nanoseconds that a commit waited for these.
    pub(crate) fn mean_ns(&self, of: &[Waited]) -> f64 {
        of.iter().filter_map(|waited| self.causes.get(waited)).sum()
    }

    /// Returns the error of that mean. What a run did not wait for is 0 there without an error.
    pub(crate) fn error(&self, of: &[Waited]) -> Option<StandardError> {
        let mut sums = vec![0.0; self.batches.commits.counts.len()];
        let mut is_there = false;
        for waited in of.iter().filter(|waited| self.causes.contains_key(waited)) {
            is_there = true;
            for (sum, ns) in sums.iter_mut().zip(self.batches.causes.get(waited)?) {
                *sum += ns;
            }
        }
        match is_there {
            true => ratio_error(&sums, &self.batches.commits.counts),
            false => Some(StandardError {
                error: 0.0,
                freedom: 1.0,
            }),
        }
    }
}
