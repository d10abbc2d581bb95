//! Tests of the three families of tests: primary figures, other figures, and the tree of what commits waited for.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CauseRow, CubeCell, HeatCell, OverTime, StackRow};
use logtrace_attribution::cause::{Cause, Wait};
use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus};
use logtrace_common::{FileClass, latency_row, latency_row_start_ns};
use logtrace_compare::render::{ComparisonFormat, render};
use logtrace_compare::{Assumed, ChangeNode, Comparison, Run, RunFigure, Verdict, compare_runs};
use logtrace_events::IoOp;

use super::{document, figure, unit};

/// Each change matters, so that the level alone decides.
const ANY: Assumed = Assumed {
    smallest: 0.0,
    spread: 0.0,
};

const SECOND_NS: u64 = 1_000_000_000;
const SECONDS: usize = 30;
const COMMITS: u64 = 200;

/// Call on a file, wait, and mean nanoseconds of a commit.
type DrawnCause = (Option<(FileClass, IoOp)>, Wait, f64);

/// Causes with their mean nanoseconds of a commit: two files, three calls, and two kinds outside of them.
const CAUSES: [DrawnCause; 7] = [
    (
        Some((FileClass::Binlog, IoOp::Fsync)),
        Wait::JournalCommit,
        400_000.0,
    ),
    (
        Some((FileClass::Binlog, IoOp::Fsync)),
        Wait::DeviceFlush,
        100_000.0,
    ),
    (Some((FileClass::Binlog, IoOp::Write)), Wait::OnCpu, 50_000.0),
    (Some((FileClass::Redo, IoOp::Fsync)), Wait::DeviceFlush, 300_000.0),
    (None, Wait::RunQueue, 80_000.0),
    (None, Wait::WakeUp, 20_000.0),
    (None, Wait::OnCpu, 60_000.0),
];

/// Second of a run: numbers of commits by row of durations, and nanoseconds by cause.
#[derive(Clone)]
struct Second {
    rows: BTreeMap<u16, u64>,
    causes: [u64; CAUSES.len()],
}

/// Draws a second in which each cause is slower or faster than on average, times its factor.
fn second(rng: &mut Xoshiro256PlusPlus, factors: [f64; CAUSES.len()]) -> Second {
    let mut causes = [0; CAUSES.len()];
    for (at, ns) in causes.iter_mut().enumerate() {
        let pace = 0.7 + 0.6 * unit(rng);
        *ns = (CAUSES[at].2 * factors[at] * pace * COMMITS as f64) as u64;
    }
    let mean_ns = causes.iter().sum::<u64>() / COMMITS;
    let mut rows = BTreeMap::new();
    for _ in 0..COMMITS {
        let ns = (mean_ns as f64 * (0.5 + unit(rng))) as u64;
        *rows.entry(latency_row(ns)).or_default() += 1;
    }
    Second { rows, causes }
}

/// Makes a run of these seconds.
fn run(seconds: &[Second]) -> Run {
    let mut over_time = OverTime::default();
    (over_time.commits.column_ns, over_time.causes.column_ns) = (SECOND_NS, SECOND_NS);
    let causes = CAUSES.map(|(io, wait, _)| Cause {
        io,
        ..Cause::own(wait)
    });
    over_time.causes.stacks = causes
        .map(|cause| StackRow {
            cause,
            frames: Vec::new(),
        })
        .into();
    for (column, second) in (0..).zip(seconds) {
        let cells = second
            .rows
            .iter()
            .map(|(&row, &count)| HeatCell { column, row, count });
        over_time.commits.cells.extend(cells);
        let cells = second.causes.iter().enumerate().map(|(stack, &ns)| CubeCell {
            column,
            band: 1,
            stack,
            ns,
            commits: COMMITS,
        });
        over_time.causes.cells.extend(cells);
    }
    let mut document = document();
    document.cpu = None;
    let total = |at: usize| seconds.iter().map(|second| second.causes[at]).sum::<u64>();
    document.causes = (0..CAUSES.len())
        .map(|at| CauseRow {
            cause: causes[at],
            total: total(at),
            commits: COMMITS,
            slowest: 0,
        })
        .collect();
    let commits = document.commits.as_mut().unwrap();
    commits.count = COMMITS * seconds.len() as u64;
    commits.total = (0..CAUSES.len()).map(total).sum();
    let mut all = BTreeMap::<u16, u64>::new();
    for (row, count) in seconds.iter().flat_map(|second| &second.rows) {
        *all.entry(*row).or_default() += count;
    }
    let count = commits.count as f64;
    // Within a row evenly, as the histograms of runs are far finer.
    let at = |share: f64| {
        let mut left = share * count;
        let row = all.iter().find(|(_, count)| {
            let is_there = left < **count as f64;
            left -= if is_there { 0.0 } else { **count as f64 };
            is_there
        });
        let (&row, &count) = row.unwrap();
        let (low, high) = (latency_row_start_ns(row), latency_row_start_ns(row + 1));
        low + ((high - low) as f64 * left / count as f64) as u64
    };
    (commits.distribution.p50, commits.distribution.p90) = (at(0.5), at(0.9));
    (commits.distribution.p99, commits.distribution.p999) = (at(0.99), at(0.999));
    Run {
        name: "runs/x".to_owned(),
        document,
        over_time: Some(over_time),
    }
}

/// Compares so many pairs of runs. The seconds of both sides are drawn from one series, those of B with factors of their causes.
fn resampled(seed: u64, pairs: usize, factors: [f64; CAUSES.len()], assumed: Assumed) -> Comparison {
    let mut rng = Stream::Study(16).rng(seed);
    let pool: Vec<Second> = (0..60).map(|_| second(&mut rng, [1.0; CAUSES.len()])).collect();
    let mut runs = |factors: [f64; CAUSES.len()]| {
        let mut one = || {
            let mut second = pool[usize::try_from(rng.next_u64() % 60).unwrap()].clone();
            for (ns, factor) in second.causes.iter_mut().zip(factors) {
                *ns = (*ns as f64 * factor) as u64;
            }
            second
        };
        let mut run_of = |_| run(&(0..SECONDS).map(|_| one()).collect::<Vec<_>>());
        (0..pairs).map(&mut run_of).collect::<Vec<Run>>()
    };
    let (a, b) = (runs([1.0; CAUSES.len()]), runs(factors));
    compare_runs(&a, &b, assumed)
}

fn flat(nodes: &[ChangeNode]) -> Vec<&ChangeNode> {
    nodes
        .iter()
        .flat_map(|node| [node].into_iter().chain(flat(&node.parts)))
        .collect()
}

fn differing(comparison: &Comparison) -> Vec<&str> {
    let nodes = flat(&comparison.tree).into_iter();
    let nodes = nodes.filter(|node| node.compared.verdict == Verdict::Differs);
    nodes.map(|node| node.name.as_str()).collect()
}

#[test]
fn equal_runs_have_false_alarms_within_the_level_in_each_family() {
    const COMPARISONS: u64 = 200;
    // Three standard deviations above 5 % of them.
    const MOST: usize = 19;
    for pairs in [1, 3] {
        let all = (0..COMPARISONS).map(|seed| resampled(seed, pairs, [1.0; CAUSES.len()], ANY));
        let all: Vec<Comparison> = all.collect();
        let alarms = |differs: &dyn Fn(&Comparison) -> bool| all.iter().filter(|one| differs(one)).count();
        let trees = alarms(&|one| !differing(one).is_empty());
        assert!(trees <= MOST, "{pairs}: {trees} trees");
        for primary in [RunFigure::CommitMean, RunFigure::CommitP99] {
            let alarms = alarms(&|one| figure(one, primary).unwrap().verdict == Verdict::Differs);
            assert!(alarms <= MOST, "{pairs}: {alarms} of {primary}");
        }
        let others = alarms(&|one| {
            let mut others = one.figures.iter().filter(|row| !row.is_primary);
            others.any(|row| row.compared.verdict == Verdict::Differs)
        });
        assert!(others <= MOST, "{pairs}: {others} of the other figures");
    }
}

#[test]
fn a_change_of_one_wait_is_found_from_the_branch_down_to_it() {
    let mut factors = [1.0; CAUSES.len()];
    factors[0] = 0.5;
    for pairs in [1, 3] {
        let mut found = 0;
        for seed in 0..20 {
            let comparison = resampled(seed, pairs, factors, ANY);
            let differing = differing(&comparison);
            found +=
                usize::from(differing[..3.min(differing.len())] == ["binlog", "fsync", "journal commit"]);
        }
        assert!(found >= 18, "{pairs}: {found} of 20");
    }
}

#[test]
fn a_part_differs_only_if_what_it_belongs_to_does() {
    fn holds(nodes: &[ChangeNode]) -> bool {
        nodes.iter().all(|node| {
            let differs = node.compared.verdict == Verdict::Differs;
            (differs || node.parts.iter().all(|part| !part.is_tested)) && holds(&node.parts)
        })
    }
    // What the journal spares the device flush takes: the binary log as a whole stays.
    let mut factors = [1.0; CAUSES.len()];
    (factors[0], factors[1]) = (0.75, 2.0);
    for seed in 0..20 {
        let comparison = resampled(seed, 3, factors, ANY);
        assert!(holds(&comparison.tree), "{seed}");
    }
}

#[test]
fn each_level_sums_to_the_one_above_and_the_first_to_the_means() {
    fn check(of: [f64; 2], parts: &[ChangeNode]) {
        let sum = |side: fn(&ChangeNode) -> f64| parts.iter().map(side).sum::<f64>();
        let sums = [sum(|part| part.compared.a), sum(|part| part.compared.b)];
        for (whole, sum) in of.into_iter().zip(sums) {
            assert!((whole - sum).abs() < 1e-6 * whole.max(1.0), "{whole} {sum}");
        }
        for part in parts.iter().filter(|part| !part.parts.is_empty()) {
            check([part.compared.a, part.compared.b], &part.parts);
        }
    }
    for seed in 0..10 {
        let comparison = resampled(seed, 3, [1.3, 1.0, 0.2, 1.0, 5.0, 1.0, 0.5], ANY);
        let mean = figure(&comparison, RunFigure::CommitMean).unwrap();
        check([mean.a, mean.b], &comparison.tree);
        let kinds =
            |side: fn(&logtrace_compare::KindChange) -> f64| comparison.kinds.iter().map(side).sum::<f64>();
        assert!((kinds(|kind| kind.a) - mean.a).abs() < 1e-3);
        assert!((kinds(|kind| kind.b) - mean.b).abs() < 1e-3);
        let names: Vec<&str> = comparison.tree.iter().map(|node| node.name.as_str()).collect();
        for name in ["binlog", "redo fsync device flush", "scheduling", "CPU"] {
            assert!(names.contains(&name), "{names:?}");
        }
    }
}

/// Numbers with a unit, as `1.47 ms` and `17.3 %`.
fn numbers(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| "();,.".contains(c)))
        .collect();
    let pairs = words
        .windows(2)
        .filter(|pair| ["ns", "us", "ms", "s"].contains(&pair[1]));
    pairs
        .map(|pair| format!("{} {}", pair[0].trim_start_matches(['+', '-']), pair[1]))
        .collect()
}

#[test]
fn the_numbers_of_the_first_sentence_are_those_of_the_tables() {
    let mut rng = Stream::Study(16).rng(99);
    let mut told = 0;
    for seed in 0..40 {
        let mut factors = [1.0; CAUSES.len()];
        factors.iter_mut().for_each(|factor| {
            if unit(&mut rng) < 0.5 {
                *factor = 0.2 + 2.0 * unit(&mut rng);
            }
        });
        let comparison = resampled(seed, 3, factors, ANY);
        let markdown = render(ComparisonFormat::Markdown, &comparison, false).unwrap();
        let (head, tables) = markdown.split_once("\n## ").unwrap();
        let sentence = head.split("\n\n").nth(1).unwrap();
        let tables = numbers(&tables.replace(['|', '\\'], " "));
        for number in numbers(sentence) {
            told += 1;
            assert!(tables.contains(&number), "{number} is not in\n{markdown}");
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn all_of_a_terminal_has_80_columns_and_a_heading_of_markdown_is_short() {
    for seed in 0..5 {
        let mut comparison = resampled(seed, 3, [9.0, 0.1, 3.0, 0.5, 5.0, 1.0, 0.5], ANY);
        comparison.settings.push(logtrace_compare::Setting {
            name: "server.settings.innodb_flush_log_at_trx_commit_with_a_long_name".to_owned(),
            a: vec!["a value of many words that goes on and on".to_owned()],
            b: vec!["NO_ZERO_DATE,NO_ZERO_IN_DATE,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION".to_owned()],
        });
        let text = render(ComparisonFormat::Terminal, &comparison, false).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let markdown = render(ComparisonFormat::Markdown, &comparison, false).unwrap();
        let heading = markdown.lines().next().unwrap();
        assert!(
            heading.starts_with("# ") && heading.chars().count() <= 80,
            "{heading}"
        );
    }
}

#[test]
fn distributions_have_the_shares_of_all_commits() {
    let comparison = resampled(1, 3, [2.0; CAUSES.len()], ANY);
    let commits = &comparison.distributions[0];
    for side in [
        |row: &logtrace_compare::DurationShare| row.a,
        |row: &logtrace_compare::DurationShare| row.b,
    ] {
        let sum: f64 = commits.rows.iter().map(side).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    let page = render(ComparisonFormat::Html, &comparison, false).unwrap();
    assert!(
        page.contains("commits by duration") && page.contains(" %, slower "),
        "{page}"
    );
    let mut old = run(&[second(&mut Stream::Study(16).rng(1), [1.0; CAUSES.len()])]);
    old.over_time = None;
    let comparison = compare_runs(std::slice::from_ref(&old), std::slice::from_ref(&old), ANY);
    let page = render(ComparisonFormat::Html, &comparison, false).unwrap();
    assert!(
        page.contains("Not known: a run has no durations over time"),
        "{page}"
    );
}
