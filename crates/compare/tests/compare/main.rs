//! Comparisons of made-up runs whose true difference is known.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test by panicking")]

mod families;
mod sides;

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CubeCell, HeatCell, OverTime, StackRow};
use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::random::{Rng, Stream, Xoshiro256PlusPlus};
use logtrace_common::{FileClass, latency_row};
use logtrace_compare::render::{ComparisonFormat, render};
use logtrace_compare::{
    Assumed, CauseChange, ComparedValue, Comparison, Run, RunFigure, Verdict, compare_runs,
};
use logtrace_events::IoOp;
use logtrace_report::document::{CauseRow, Cpu, CpuColumns, Document};
use logtrace_report::parse_json;
use strum::IntoEnumIterator;

/// Drawn runs of the same have no spread but that within them.
const ASSUMED: Assumed = Assumed {
    smallest: 0.02,
    spread: 0.0,
};

const TENTH_NS: u64 = 100_000_000;
const TENTHS: u64 = 300;
const COMMITS_OF_TENTH: u32 = 20;

const FLUSH: Cause = Cause {
    who: Who::Own,
    io: Some((FileClass::Binlog, IoOp::Fsync)),
    wait: Wait::DeviceFlush,
};
const CPU: Cause = Cause {
    who: Who::Own,
    io: None,
    wait: Wait::OnCpu,
};

fn document() -> Document {
    let snapshot = include_str!(
        "../../../report/tests/report/render/snapshots/report__render__golden__traced.json.snap"
    );
    parse_json(snapshot.splitn(3, "---\n").last().unwrap()).unwrap()
}

fn unit(rng: &mut Xoshiro256PlusPlus) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Draws a run: each commit flushes for some 0.6 ms, with slower and faster seconds, and runs for 0.1 ms.
fn drawn(rng: &mut Xoshiro256PlusPlus, flush_factor: f64) -> Run {
    let mut over_time = OverTime::default();
    over_time.commits.column_ns = TENTH_NS;
    over_time.causes.column_ns = TENTH_NS;
    let stack = |cause| StackRow {
        cause,
        frames: Vec::new(),
    };
    over_time.causes.stacks = vec![stack(FLUSH), stack(CPU)];
    let mut pace = 1.0;
    let mut durations = Vec::new();
    for column in 0..TENTHS {
        if column.is_multiple_of(10) {
            pace = 0.9 + 0.2 * unit(rng);
        }
        let (mut rows, mut cells) = (BTreeMap::<u16, u64>::new(), BTreeMap::<(u16, usize), u64>::new());
        for _ in 0..COMMITS_OF_TENTH {
            let flush_ns = (400_000.0 * flush_factor * pace * (1.0 - unit(rng).ln())) as u64;
            let cpu_ns = 90_000 + (20_000.0 * unit(rng)) as u64;
            let row = latency_row(flush_ns + cpu_ns);
            *rows.entry(row).or_default() += 1;
            *cells.entry((row / 4, 0)).or_default() += flush_ns;
            *cells.entry((row / 4, 1)).or_default() += cpu_ns;
            durations.push(flush_ns + cpu_ns);
        }
        let counts = rows
            .into_iter()
            .map(|(row, count)| HeatCell { column, row, count });
        over_time.commits.cells.extend(counts);
        over_time
            .causes
            .cells
            .extend(cells.into_iter().map(|((band, stack), ns)| CubeCell {
                column,
                band,
                stack,
                ns,
                commits: 1,
            }));
    }
    Run {
        name: "runs/x".to_owned(),
        document: with_commits(document(), &mut durations, &over_time),
        over_time: Some(over_time),
    }
}

/// Returns the document with these commits.
fn with_commits(mut document: Document, durations: &mut [u64], over_time: &OverTime) -> Document {
    durations.sort_unstable();
    document.cpu = None;
    let commits = document.commits.as_mut().unwrap();
    commits.count = durations.len() as u64;
    commits.total = durations.iter().sum();
    let at = |share: f64| durations[(share * durations.len() as f64) as usize];
    let distribution = &mut commits.distribution;
    (distribution.p50, distribution.p90) = (at(0.5), at(0.9));
    (distribution.p99, distribution.p999) = (at(0.99), at(0.999));
    let total = |stack| {
        let cells = over_time.causes.cells.iter();
        cells.filter(|cell| cell.stack == stack).map(|cell| cell.ns).sum()
    };
    let row = |cause, total| CauseRow {
        cause,
        total,
        commits: durations.len() as u64,
        slowest: 0,
    };
    document.causes = vec![row(FLUSH, total(0)), row(CPU, total(1))];
    document
}

fn drawn_pairs(seed: u64, pairs: usize, flush_factor: f64) -> Comparison {
    let mut rng = Stream::Study(12).rng(seed);
    let mut runs = |factor| (0..pairs).map(|_| drawn(&mut rng, factor)).collect::<Vec<_>>();
    let (a, b) = (runs(1.0), runs(flush_factor));
    compare_runs(&a, &b, ASSUMED)
}

fn cause(comparison: &Comparison, cause: Cause) -> CauseChange {
    *comparison
        .causes
        .iter()
        .find(|row| row.waited == cause.into())
        .unwrap()
}

fn verdicts(comparison: &Comparison) -> impl Iterator<Item = Verdict> {
    let figures = comparison.figures.iter().map(|row| row.compared.verdict);
    figures.chain(comparison.causes.iter().map(|row| row.compared.verdict))
}

#[test]
fn equal_runs_are_rarely_called_different() {
    for pairs in [1, 3] {
        let verdicts: Vec<Verdict> = (0..40)
            .flat_map(|seed| verdicts(&drawn_pairs(seed, pairs, 1.0)).collect::<Vec<_>>())
            .collect();
        let differs = verdicts
            .iter()
            .filter(|&&verdict| verdict == Verdict::Differs)
            .count();
        assert!(
            differs * 20 <= verdicts.len(),
            "{pairs}: {differs} of {}",
            verdicts.len()
        );
        assert!(verdicts.contains(&Verdict::CannotTell), "{pairs}");
    }
}

#[test]
fn a_slower_flush_is_found_by_name_with_its_size() {
    // Three pairs have two degrees of freedom.
    for (pairs, least) in [(1, 19), (3, 14)] {
        let (mut found, mut covered) = (0, 0);
        for seed in 0..20 {
            let comparison = drawn_pairs(seed, pairs, 1.2);
            assert_eq!(comparison.causes[0].waited, FLUSH.into());
            let flush = comparison.causes[0].compared;
            found += u32::from(flush.verdict == Verdict::Differs);
            assert_ne!(cause(&comparison, CPU).compared.verdict, Verdict::Differs);
            let interval = flush.interval.unwrap();
            // A fifth of 0.8 ms.
            covered += u32::from((interval.low..interval.high).contains(&160_000.0));
        }
        assert!(found >= least, "{pairs}: {found} of 20 are found");
        assert!(covered >= 17, "{pairs}: {covered} of 20 intervals");
    }
}

#[test]
fn the_changes_of_the_causes_sum_to_that_of_the_mean() {
    let comparison = drawn_pairs(1, 1, 1.5);
    let sum: f64 = comparison
        .causes
        .iter()
        .map(|row| row.compared.b - row.compared.a)
        .sum();
    let mean = comparison
        .figures
        .iter()
        .find(|row| row.figure == RunFigure::CommitMean);
    let mean = mean.unwrap().compared;
    assert!((sum - (mean.b - mean.a)).abs() < 1e-3, "{sum} {mean:?}");
}

/// Draws the CPU time of a run: some 0.2 ms a commit, with busier and idler tenths of a second, and a third more on the machine.
fn drawn_cpu(rng: &mut Xoshiro256PlusPlus, factor: f64) -> Cpu {
    let commits_ns = 200_000.0 * factor * f64::from(COMMITS_OF_TENTH);
    let tenth = |_| (commits_ns * (0.8 + 0.4 * unit(rng))) as u64;
    let server: Vec<u64> = (0..TENTHS).map(tenth).collect();
    let columns = |columns: Vec<u64>| CpuColumns {
        total: columns.iter().sum(),
        columns,
    };
    Cpu {
        column_ns: TENTH_NS,
        machine: Some(columns(server.iter().map(|ns| ns * 4 / 3).collect())),
        server: columns(server),
    }
}

fn figure(comparison: &Comparison, figure: RunFigure) -> Option<ComparedValue> {
    let mut rows = comparison.figures.iter();
    rows.find(|row| row.figure == figure).map(|row| row.compared)
}

#[test]
fn cpu_time_of_a_commit_is_found_with_its_size() {
    let (mut found, mut covered) = (0, 0);
    for seed in 0..20 {
        let mut rng = Stream::Study(12).rng(seed);
        let (mut a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
        a.document.cpu = Some(drawn_cpu(&mut rng, 1.0));
        b.document.cpu = Some(drawn_cpu(&mut rng, 1.1));
        let comparison = compare_runs(&[a], &[b], ASSUMED);
        let server = figure(&comparison, RunFigure::ServerCpuOfCommit).unwrap();
        let machine = figure(&comparison, RunFigure::MachineCpuOfCommit).unwrap();
        assert!((server.a / 200_000.0 - 1.0).abs() < 0.05, "{server:?}");
        assert!((machine.a / server.a - 4.0 / 3.0).abs() < 1e-6, "{machine:?}");
        found += u32::from(server.verdict == Verdict::Differs);
        let interval = server.interval.unwrap();
        covered += u32::from((interval.low..interval.high).contains(&1.1));
    }
    assert!(found >= 19, "{found} of 20 are found");
    assert!(covered >= 17, "{covered} of 20 intervals");
}

#[test]
fn cpu_time_is_of_requests_where_a_run_was_not_traced() {
    let mut rng = Stream::Study(12).rng(1);
    let (mut a, mut b) = (drawn(&mut rng, 1.0), drawn(&mut rng, 1.0));
    a.document.cpu = Some(drawn_cpu(&mut rng, 1.0));
    b.document.cpu = Some(drawn_cpu(&mut rng, 1.0));
    (b.document.commits, b.over_time) = (None, None);
    b.document.causes.clear();
    let done = a.document.driver.as_ref().unwrap().done;
    let expected = a.document.cpu.as_ref().unwrap().server.total as f64 / done as f64;
    let comparison = compare_runs(&[a.clone()], &[b], ASSUMED);
    let server = figure(&comparison, RunFigure::ServerCpuOfRequest).unwrap();
    assert!((server.a - expected).abs() < 1e-6);
    assert_eq!(figure(&comparison, RunFigure::ServerCpuOfCommit), None);
    // A run of an older version has none, and then there is no row.
    let mut old = a.clone();
    old.document.cpu = None;
    let comparison = compare_runs(&[a], &[old], ASSUMED);
    assert_eq!(figure(&comparison, RunFigure::ServerCpuOfCommit), None);
}

#[test]
fn a_person_reads_the_answer_first() {
    let comparison = drawn_pairs(3, 3, 1.2);
    for format in [
        ComparisonFormat::Terminal,
        ComparisonFormat::Markdown,
        ComparisonFormat::Html,
    ] {
        insta::assert_snapshot!(format.to_string(), render(format, &comparison, false).unwrap());
    }
    let json = render(ComparisonFormat::Json, &comparison, false).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["causes"][0]["wait"], "device flush");
    assert_eq!(json["causes"][0]["verdict"], "differs");
    assert_eq!(json["causes"][0]["kind"], "storage");
    assert_eq!(json["tree"][0]["branch"], "binlog");
    assert_eq!(json["tree"][0]["name"], "binlog fsync device flush");
    let primary = json["figures"].as_array().unwrap().iter();
    let primary = primary
        .filter(|row| row["is_primary"] == true)
        .map(|row| row["figure"].as_str());
    let primary: Vec<&str> = primary.flatten().collect();
    assert_eq!(
        primary,
        [
            "requests",
            "response_mean",
            "response_p99",
            "commit_mean",
            "commit_p99"
        ]
    );
}

#[test]
fn stacks_sum_to_the_mean_commits() {
    let comparison = drawn_pairs(3, 3, 1.2);
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    let of = |waited| {
        comparison
            .stacks
            .iter()
            .filter(move |stack| stack.waited == waited)
    };
    for row in &comparison.causes {
        assert!(near(of(row.waited).map(|stack| stack.a).sum(), row.compared.a));
        assert!(near(of(row.waited).map(|stack| stack.b).sum(), row.compared.b));
    }
}

#[test]
fn the_page_asks_nobody_and_names_cannot_become_markup() {
    let mut rng = Stream::Study(12).rng(5);
    let mut run = || {
        let mut run = drawn(&mut rng, 1.0);
        run.name = "<script>alert(1)</script>".to_owned();
        let stacks = &mut run.over_time.as_mut().unwrap().causes.stacks;
        stacks[0].frames = vec!["f<img src=x>".to_owned()];
        run
    };
    let page = render(
        ComparisonFormat::Html,
        &compare_runs(&[run()], &[run()], ASSUMED),
        false,
    )
    .unwrap();
    assert!(page.contains("default-src 'none'"));
    for markup in ["<script", "<img", "http:", "https:"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("f&#60;img src=x&#62;"), "{page}");
}

#[test]
fn causes_of_a_microsecond_do_not_hide_a_large_one() {
    let mut rng = Stream::Study(12).rng(8);
    let mut runs = |factor| {
        let run = |repeat: usize| {
            let mut run = drawn(&mut rng, factor);
            let count = run.document.commits.as_ref().unwrap().count;
            let others = Wait::iter().filter(|wait| ![FLUSH.wait, CPU.wait].contains(wait));
            let tiny = others.take(40).enumerate().map(|(at, wait)| {
                // Some differ by little from repeat to repeat, some by their size.
                let spread = (0.05 * 1.1_f64.powi(i32::try_from(at).unwrap())).min(0.95);
                let share = 1.0 + [0.0, spread, -spread][(repeat + at) % 3];
                CauseRow {
                    cause: Cause { wait, ..CPU },
                    total: (count as f64 * 1_000.0 * share) as u64,
                    commits: count,
                    slowest: 0,
                }
            });
            run.document.causes.extend(tiny.collect::<Vec<_>>());
            run
        };
        (0..3).map(run).collect::<Vec<Run>>()
    };
    let (a, mut b) = (runs(1.0), runs(1.2));
    // Each repeat of A meets another one of B.
    b.rotate_left(1);
    let comparison = compare_runs(&a, &b, ASSUMED);
    assert_eq!(cause(&comparison, FLUSH).compared.verdict, Verdict::Differs);
}

#[test]
fn runs_that_are_too_short_are_not_called_the_same() {
    let mut run = drawn(&mut Stream::Study(13).rng(5), 1.0);
    (run.over_time, run.document.driver) = (None, None);
    let text = render(
        ComparisonFormat::Terminal,
        &compare_runs(&[run.clone()], &[run], ASSUMED),
        false,
    )
    .unwrap();
    assert!(text.starts_with("Cannot tell: the runs are too short"), "{text}");
}
