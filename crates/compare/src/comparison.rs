//! All comparisons of the runs of two sides.

use std::collections::{BTreeMap, BTreeSet};

use logtrace_report::document::Work;
use logtrace_report::render::title_line;
use logtrace_statistics::{Compare, Comparison as Tested, StandardError, mark_significant};
use serde::Serialize;

use crate::batches::Batches;
use crate::change::{Change, Values, Verdict, tested};
use crate::estimate::ratio_error;
use crate::figures::{Figure, Measured, figures};
use crate::run::Run;
use crate::settings::{Setting, differing};
use crate::stacks::{StackChange, stack_changes};
use crate::waited::Waited;

/// Version of the layout of a comparison as JSON.
pub const SCHEMA: u32 = 1;

/// Largest ratio of offered rates at which times are compared.
const SAME_RATE: f64 = 1.01;

/// Comparison of runs: the first side is called A, the second one B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Names of the runs of A.
    pub a: Vec<String>,
    /// Names of the runs of B.
    pub b: Vec<String>,
    /// Title of the first run of A: workload, server, connections, load and length.
    pub a_title: String,
    /// Title of the first run of B.
    pub b_title: String,
    /// Kinds of the caveats of the runs of A.
    pub a_caveats: BTreeSet<String>,
    /// Kinds of the caveats of the runs of B.
    pub b_caveats: BTreeSet<String>,
    /// CPUs that were busy outside of the server, on average over the runs of A; absent if one does not have it.
    pub a_outside_cpus: Option<f64>,
    /// CPUs that were busy outside of the server during B.
    pub b_outside_cpus: Option<f64>,
    /// Assumptions.
    pub assumed: Assumed,
    /// Settings that differ.
    pub settings: Vec<Setting>,
    /// Whether the offered rates differ: times at different loads are not judged.
    pub rates_differ: bool,
    /// Throughput and times: ratios of B to A.
    pub figures: Vec<FigureChange>,
    /// Mean nanoseconds of a commit by cause: differences of B from A, the largest first. They sum to the difference of the
    /// means. Empty if a run was not traced.
    pub causes: Vec<CauseChange>,
    /// Mean nanoseconds of a commit by stack. Empty if a run has no commits over time.
    pub stacks: Vec<StackChange>,
}

/// Comparison of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FigureChange {
    /// Figure.
    pub figure: Figure,
    /// Its comparison.
    #[serde(flatten)]
    pub change: Change,
}

/// Comparison of the time that commits waited for one thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CauseChange {
    /// Wait of the commits.
    #[serde(flatten)]
    pub waited: Waited,
    /// Its comparison.
    #[serde(flatten)]
    pub change: Change,
}

/// Run with what was computed from it once.
struct Side {
    figures: Vec<Measured>,
    causes: BTreeMap<Waited, f64>,
    errors: BTreeMap<Waited, StandardError>,
    commit_mean_ns: Option<f64>,
    offered_per_s: Option<f64>,
}

/// Assumptions of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// Smallest change that matters, as a share.
    pub smallest: f64,
    /// Standard deviation between runs of the same settings, as a share of a figure. It is used for one run of each side alone:
    /// repeats show it.
    pub spread: f64,
}

/// Compares as many runs of one side as of the other: the first with the first, and so on.
pub fn compare(a: &[Run], b: &[Run], assumed: Assumed) -> Comparison {
    let Assumed { smallest, .. } = assumed;
    let work = common_work(a, b);
    let side = |run| Side::of(run, work);
    let pairs: Vec<(Side, Side)> = a.iter().zip(b).map(|(a, b)| (side(a), side(b))).collect();
    let rates_differ = pairs.iter().any(|(a, b)| a.has_other_rate(b));
    let (figures, figure_rows) = figure_rows(&pairs);
    let (causes, cause_rows) = cause_rows(&pairs);
    let smallest_ns = smallest * mean_commit_ns(&pairs);
    let (figure_tests, cause_tests) = both_tested(&figure_rows, &cause_rows, assumed.spread, smallest_ns);
    let changes = figures.into_iter().zip(figure_rows).zip(figure_tests);
    let figures = changes.map(|((figure, row), tested)| {
        let change = Change::of(&row, tested, Compare::Ratio, smallest);
        FigureChange {
            figure,
            change: change.unless(rates_differ && figure.is_time()),
        }
    });
    let changes = causes.into_iter().zip(cause_rows).zip(cause_tests);
    let causes = changes.map(|((waited, row), tested)| {
        let change = Change::of(&row, tested, Compare::Difference, smallest_ns);
        CauseChange {
            waited,
            change: change.unless(rates_differ),
        }
    });
    let mut causes: Vec<CauseChange> = causes.collect();
    let size = |row: &CauseChange| (row.change.b - row.change.a).abs();
    causes.sort_by(|one, other| {
        size(other)
            .total_cmp(&size(one))
            .then(one.waited.cmp(&other.waited))
    });
    let names = |runs: &[Run]| runs.iter().map(|run| run.name.clone()).collect();
    let first = |runs: &[Run]| {
        runs.first()
            .map_or_else(String::new, |run| title_line(&run.document))
    };
    let caveats = |runs: &[Run]| runs.iter().flat_map(Run::caveats).collect();
    Comparison {
        schema: SCHEMA,
        a: names(a),
        b: names(b),
        a_title: first(a),
        b_title: first(b),
        a_caveats: caveats(a),
        b_caveats: caveats(b),
        a_outside_cpus: outside_cpus(a),
        b_outside_cpus: outside_cpus(b),
        assumed,
        settings: differing(a, b),
        rates_differ,
        figures: figures.collect(),
        causes,
        stacks: stack_changes(a, b),
    }
}

fn outside_cpus(runs: &[Run]) -> Option<f64> {
    let cpus: Vec<f64> = runs.iter().map(Run::outside_cpus).collect::<Option<_>>()?;
    logtrace_statistics::mean(&cpus)
}

/// Returns what CPU time is divided by: commits where all runs know theirs, else requests.
fn common_work(a: &[Run], b: &[Run]) -> Work {
    let mut runs = a.iter().chain(b);
    match runs.all(|run| run.document.work(Work::Commit).is_some()) {
        true => Work::Commit,
        false => Work::Request,
    }
}

impl Side {
    fn of(run: &Run, work: Work) -> Self {
        let cpu = run.document.cpu.as_ref();
        let batches = run.over_time.as_ref();
        let batches = batches
            .map(|over_time| Batches::of(over_time, cpu))
            .unwrap_or_default();
        let count = run.document.commits.as_ref().map_or(0, |commits| commits.count);
        let mean = |total: u64| total as f64 / count.max(1) as f64;
        let mut causes = BTreeMap::new();
        for row in &run.document.causes {
            *causes.entry(Waited::from(row.cause)).or_default() += mean(row.total);
        }
        let error = |sums: &Vec<f64>| ratio_error(sums, &batches.commits.counts);
        let errors = batches
            .causes
            .iter()
            .filter_map(|(&cause, sums)| Some((cause, error(sums)?)));
        Self {
            figures: figures(run, &batches, work),
            causes,
            errors: errors.collect(),
            commit_mean_ns: run.commit_mean_ns(),
            offered_per_s: run
                .document
                .driver
                .as_ref()
                .and_then(|driver| driver.offered_per_s),
        }
    }

    /// Returns whether the other run had another offered rate. A run without one was as fast as it could.
    fn has_other_rate(&self, other: &Self) -> bool {
        match (self.offered_per_s, other.offered_per_s) {
            (None, None) => false,
            (Some(a), Some(b)) => (a / b).max(b / a) > SAME_RATE,
            _ => true,
        }
    }

    fn figure(&self, figure: Figure) -> Option<&Measured> {
        self.figures.iter().find(|measured| measured.figure == figure)
    }

    /// Returns the error of the mean of a cause. One that a run does not have is 0 there without an error.
    fn error(&self, cause: Waited) -> Option<StandardError> {
        match self.causes.contains_key(&cause) {
            true => self.errors.get(&cause).copied(),
            false => Some(StandardError {
                error: 0.0,
                freedom: 1.0,
            }),
        }
    }
}

/// Returns the figures that all runs have, with their values.
fn figure_rows(pairs: &[(Side, Side)]) -> (Vec<Figure>, Vec<Vec<Values>>) {
    let first = pairs.iter().take(1).flat_map(|(a, _)| &a.figures);
    let row = |figure| {
        let values = pairs.iter().map(|(a, b)| {
            let (a, b) = (a.figure(figure)?, b.figure(figure)?);
            Some(Values {
                a: a.value,
                b: b.value,
                errors: a.error.zip(b.error),
            })
        });
        Some((figure, values.collect::<Option<Vec<_>>>()?))
    };
    first.filter_map(|measured| row(measured.figure)).unzip()
}

/// Returns all causes with their values; none if a run has no commits.
fn cause_rows(pairs: &[(Side, Side)]) -> (Vec<Waited>, Vec<Vec<Values>>) {
    let mut sides = pairs.iter().flat_map(|(a, b)| [a, b]);
    if sides.any(|side| side.commit_mean_ns.is_none()) {
        return (Vec::new(), Vec::new());
    }
    let sides = pairs.iter().flat_map(|(a, b)| [a, b]);
    let causes: BTreeSet<Waited> = sides.flat_map(|side| side.causes.keys().copied()).collect();
    let row = |cause| {
        let of = |side: &Side| side.causes.get(&cause).copied().unwrap_or(0.0);
        let values = pairs.iter().map(|(a, b)| Values {
            a: of(a),
            b: of(b),
            errors: a.error(cause).zip(b.error(cause)),
        });
        (cause, values.collect())
    };
    causes.into_iter().map(row).unzip()
}

/// Tests the figures and the causes, corrected for the number of all of them but the causes that are too small to matter on both
/// sides: dozens of them would hide a large change.
fn both_tested(
    figures: &[Vec<Values>],
    causes: &[Vec<Values>],
    spread: f64,
    smallest_ns: f64,
) -> (Vec<Option<Tested>>, Vec<Option<Tested>>) {
    let mut all = tested(figures, Compare::Ratio, spread);
    let matters = |row: &Vec<Values>| row.iter().any(|values| values.a.max(values.b) >= smallest_ns);
    let cause_tests = apart_tested(causes, matters, spread);
    let large = cause_tests.iter().zip(causes);
    all.extend(large.map(|(&tested, row)| tested.filter(|_| matters(row))));
    mark_significant(&mut all);
    let marked = all.split_off(figures.len()).into_iter().zip(cause_tests);
    (all, marked.map(|(marked, tested)| marked.or(tested)).collect())
}

/// Tests the causes that matter, and the others, each for themselves: the variances of dozens of causes of some microseconds are
/// many times their size, and would moderate those of the large ones.
fn apart_tested(
    causes: &[Vec<Values>],
    matters: impl Fn(&Vec<Values>) -> bool,
    spread: f64,
) -> Vec<Option<Tested>> {
    let (large, small): (Vec<_>, Vec<_>) = causes.iter().cloned().partition(&matters);
    let test = |rows: &[Vec<Values>]| tested(rows, Compare::Difference, spread).into_iter();
    let (mut large, mut small) = (test(&large), test(&small));
    let of = |row: &Vec<Values>| match matters(row) {
        true => large.next().flatten(),
        false => small.next().flatten(),
    };
    causes.iter().map(of).collect()
}

/// Returns the mean duration of the commits of A.
fn mean_commit_ns(pairs: &[(Side, Side)]) -> f64 {
    let means: Vec<f64> = pairs.iter().filter_map(|(a, _)| a.commit_mean_ns).collect();
    logtrace_statistics::mean(&means).unwrap_or(0.0)
}

impl Change {
    /// Returns the same change, without a judgement if it cannot be judged.
    fn unless(self, is_barred: bool) -> Self {
        match is_barred {
            true => Self {
                verdict: Verdict::CannotTell,
                ..self
            },
            false => self,
        }
    }
}
