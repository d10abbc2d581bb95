//! All comparisons of the runs of two sides.
//!
//! There are three families. The primary figures are declared before anything is measured, and each is tested for itself. The
//! other figures are corrected for one another (Holm). What commits waited for is tested along the tree of reports, from the top.

use std::collections::{BTreeMap, BTreeSet};

use logtrace_attribution::cause::WaitKind;
use logtrace_report::document::Work;
use logtrace_report::render::{held_up, title_line};
use logtrace_statistics::{DifferenceScale, TestedDifference, Verdict, mark_significant};
use serde::Serialize;

use crate::cause_tree::{ChangeNode, TreeRules, cause_tree, leaves};
use crate::compared_value::{ComparedValue, ValuesOfBoth, test_row};
use crate::figures::RunFigure;
use crate::run::Run;
use crate::settings::{Setting, differing};
use crate::side::Side;
use crate::side_durations::{SideDurations, side_durations};
use crate::stacks::{StackChange, stack_changes};
use crate::waited::Waited;

/// Version of the layout of a comparison as JSON.
pub const SCHEMA: u32 = 1;

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
    /// Who held commits up most in each run of A in which somebody stands out.
    pub a_held_up: Vec<HeldUp>,
    /// The same of B.
    pub b_held_up: Vec<HeldUp>,
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
    /// Mean nanoseconds of a commit as the tree of reports: differences of B from A, the largest first. Each level sums to the one
    /// above, and the first to the difference of the means. Empty if a run was not traced.
    pub tree: Vec<ChangeNode>,
    /// Mean nanoseconds of a commit by kind of wait.
    pub kinds: Vec<KindChange>,
    /// Leaves of the tree, the largest change first.
    pub causes: Vec<CauseChange>,
    /// Mean nanoseconds of a commit by stack. Empty if a run has no commits over time.
    pub stacks: Vec<StackChange>,
    /// Distributions of durations. Empty if a run has none over time.
    pub distributions: Vec<SideDurations>,
}

/// Run in which somebody held commits up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldUp {
    /// Name of the run.
    pub run: String,
    /// Sentence of its report.
    pub text: String,
}

/// Comparison of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FigureChange {
    /// Figure.
    pub figure: RunFigure,
    /// Whether it is a primary figure, which is tested for itself.
    pub is_primary: bool,
    /// Whether it is a rate that was given, and that all runs held. It is the same then, whatever chance made of it.
    pub is_held: bool,
    /// Its comparison.
    #[serde(flatten)]
    pub compared: ComparedValue,
}

/// Comparison of the time that commits waited for one thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CauseChange {
    /// Wait of the commits.
    #[serde(flatten)]
    pub waited: Waited,
    /// Kind of the wait.
    pub kind: WaitKind,
    /// Its comparison.
    #[serde(flatten)]
    pub compared: ComparedValue,
}

/// Time that commits waited for one kind of wait.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KindChange {
    /// Kind of the waits.
    pub kind: WaitKind,
    /// Mean of A.
    pub a: f64,
    /// Mean of B.
    pub b: f64,
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

/// Returns who held commits up in these runs.
fn held_up_in(runs: &[Run]) -> Vec<HeldUp> {
    let held_up = runs.iter().filter_map(|run| {
        let text = held_up(&run.document, run.over_time.as_ref())?;
        let run = run.name.clone();
        Some(HeldUp { run, text })
    });
    held_up.collect()
}

/// Compares as many runs of one side as of the other: the first with the first, and so on.
pub fn compare_runs(a: &[Run], b: &[Run], assumed: Assumed) -> Comparison {
    let work = common_work(a, b);
    let side = |run| Side::of(run, work);
    let pairs: Vec<(Side, Side)> = a.iter().zip(b).map(|(a, b)| (side(a), side(b))).collect();
    let rates_differ = pairs.iter().any(|(a, b)| a.has_other_rate(b));
    let tree = cause_tree(
        &pairs,
        TreeRules {
            spread: assumed.spread,
            smallest_ns: assumed.smallest * mean_commit_ns(&pairs),
            is_barred: rates_differ,
        },
    );
    let names = |runs: &[Run]| runs.iter().map(|run| run.name.clone()).collect();
    let first = |runs: &[Run]| {
        runs.first()
            .map_or_else(String::new, |run| title_line(&run.document))
    };
    let caveats = |runs: &[Run]| runs.iter().flat_map(Run::caveats).collect();
    let causes = causes(&tree);
    Comparison {
        schema: SCHEMA,
        a: names(a),
        b: names(b),
        a_title: first(a),
        b_title: first(b),
        a_caveats: caveats(a),
        b_caveats: caveats(b),
        a_held_up: held_up_in(a),
        b_held_up: held_up_in(b),
        a_outside_cpus: outside_cpus(a),
        b_outside_cpus: outside_cpus(b),
        assumed,
        settings: differing(a, b),
        rates_differ,
        figures: figures(&pairs, assumed, rates_differ),
        kinds: kinds(&causes),
        causes,
        tree,
        stacks: stack_changes(a, b),
        distributions: side_durations(&pairs),
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

/// Compares the figures that all runs have.
fn figures(pairs: &[(Side, Side)], assumed: Assumed, rates_differ: bool) -> Vec<FigureChange> {
    let first = pairs.iter().take(1).flat_map(|(a, _)| &a.figures);
    let rows = first.filter_map(|measured| Some((measured.figure, figure_row(pairs, measured.figure)?)));
    let rows: Vec<(RunFigure, Vec<ValuesOfBoth>)> = rows.collect();
    let how = DifferenceScale::Ratio;
    let tested: Vec<_> = rows
        .iter()
        .map(|(figure, row)| (*figure, test_row(row, how, assumed.spread)))
        .collect();
    let mut sides = pairs.iter().flat_map(|(a, b)| [a, b]);
    let are_held = !rates_differ && sides.all(|side| side.has_held_its_rate(assumed.smallest));
    let changes = rows.iter().zip(corrected(tested)).map(|((figure, row), tested)| {
        let is_held = are_held && *figure == RunFigure::Requests;
        let compared = ComparedValue::of(row, tested, how, assumed.smallest);
        FigureChange {
            figure: *figure,
            is_primary: figure.primary().is_some(),
            is_held,
            compared: match is_held {
                true => ComparedValue {
                    verdict: Verdict::Same,
                    ..compared
                },
                false => compared.unless(rates_differ && figure.is_time()),
            },
        }
    });
    changes.collect()
}

/// Returns the values of a figure, if all runs have it.
fn figure_row(pairs: &[(Side, Side)], figure: RunFigure) -> Option<Vec<ValuesOfBoth>> {
    let is_repeated = pairs.len() > 1;
    let values = pairs.iter().map(|(a, b)| {
        let (a, b) = (a.figure(figure)?, b.figure(figure)?);
        Some(ValuesOfBoth {
            a: a.value,
            b: b.value,
            errors: match is_repeated {
                true => a.least_error.zip(b.least_error),
                false => a.error.zip(b.error),
            },
        })
    });
    values.collect()
}

/// Corrects the figures that are not primary for one another. The primary ones pay for no other.
fn corrected(tested: Vec<(RunFigure, Option<TestedDifference>)>) -> Vec<Option<TestedDifference>> {
    let is_primary: Vec<bool> = tested
        .iter()
        .map(|(figure, _)| figure.primary().is_some())
        .collect();
    let tested: Vec<Option<TestedDifference>> = tested.into_iter().map(|(_, tested)| tested).collect();
    let mut others: Vec<Option<TestedDifference>> = tested.clone();
    for (other, is_primary) in others.iter_mut().zip(&is_primary) {
        *other = other.filter(|_| !is_primary);
    }
    mark_significant(&mut others);
    let all = tested.into_iter().zip(others).zip(is_primary);
    all.map(|((alone, other), is_primary)| if is_primary { alone } else { other })
        .collect()
}

/// Returns the leaves of the tree as rows, the largest change first.
fn causes(tree: &[ChangeNode]) -> Vec<CauseChange> {
    let rows = leaves(tree).into_iter().filter_map(|leaf| {
        let waited = leaf.waited?;
        Some(CauseChange {
            waited,
            kind: waited.wait.kind(),
            compared: leaf.compared,
        })
    });
    let mut causes: Vec<CauseChange> = rows.collect();
    let size = |row: &CauseChange| (row.compared.b - row.compared.a).abs();
    causes.sort_by(|one, other| {
        size(other)
            .total_cmp(&size(one))
            .then(one.waited.cmp(&other.waited))
    });
    causes
}

fn kinds(causes: &[CauseChange]) -> Vec<KindChange> {
    let mut kinds = BTreeMap::<WaitKind, [f64; 2]>::new();
    for row in causes {
        let [a, b] = kinds.entry(row.kind).or_default();
        *a += row.compared.a;
        *b += row.compared.b;
    }
    let kinds = kinds.into_iter();
    kinds.map(|(kind, [a, b])| KindChange { kind, a, b }).collect()
}

/// Returns the mean duration of the commits of A.
fn mean_commit_ns(pairs: &[(Side, Side)]) -> f64 {
    let means: Vec<f64> = pairs.iter().filter_map(|(a, _)| a.commit_mean_ns).collect();
    logtrace_statistics::mean(&means).unwrap_or(0.0)
}
